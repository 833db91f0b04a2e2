// SPDX-License-Identifier: Apache-2.0
// This file writes loops of emitted C, and offsets in memory as expressions of the loop variables.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "block_padding.h"
#include "c_text.h"
#include "c_types.h"
#include "loop_program.h"
#include "stage_plan.h"
#include "tileplan/epilogue.h"
#include "winograd_convolution.h"

namespace tileplan {

/// Holds the computation, the loops and the options from which the functions of this library write
/// code.
struct EmitContext {
  const Computation& computation;
  const LoopProgram& program;
  int lanes = 1;
  int prefetch = 0;        ///< This is the value of Schedule::prefetch.
  Epilogue epilogue = {};  ///< Register tiles apply this epilogue to their sums.
  /// If not null, the loops compute the products of this convolution. The transform of the output,
  /// and no register tile, then applies the epilogue of the kernel.
  const WinogradConvolution* winograd = nullptr;
  /// If true, and vectors do not hold pixels, the code keeps compilers from folding the load of an
  /// operand into several multiply-adds, because each of them would repeat the load.
  bool keep_operands = false;
  /// These stages surround the loops, unless the pointer is null.
  const StagePlan* stages = nullptr;

  const TensorAccess& tensor(Operand operand) const { return computation.tensor(operand); }
  const OperandPlace& place(Operand operand) const { return program.place(operand); }
  /// Returns the C type of one element of `operand` in the loops, which may be a strip. Sums have
  /// the type of the output.
  std::string number(Operand operand = Operand::output) const {
    return tensor(operand).strip > 1 ? "strip" : c_type(tensor(operand).type);
  }
  /// Returns true when one multiply-add takes strips of several elements (polyhedral/strips.h).
  bool has_strips() const { return tensor(Operand::weights).strip > 1; }
  /// Returns the C type of a vector of factors.
  std::string factors() const { return has_strips() ? "strips" : "vec"; }
  /// Returns C text for a vector whose lanes all hold `factor`.
  std::string broadcast(const std::string& factor) const {
    return (has_strips() ? "BROADCAST_STRIP(" : "BROADCAST(") + factor + ")";
  }
  /// Returns C text that adds products of `input` and `weights` to `sum`.
  std::string add_products(const std::string& sum, const std::string& input,
                           const std::string& weights) const;
  /// Returns true when the highest bit of each element of the input is inverted. Padding is then
  /// multiplied like other elements.
  bool flips_input() const { return stages != nullptr && stages->types.flips_input; }
  /// Returns true when the bias holds corrections. Each product of a batch then has a bias of its
  /// own.
  bool corrects_channels() const { return stages != nullptr && stages->corrects_channels(); }
  /// Returns true when weights are packed before the run.
  bool is_packed() const { return program.weights_source == WeightsSource::packed; }
  bool has_weights_in_place() const { return program.weights_source == WeightsSource::in_place; }
  /// Returns the distance in elements between the weights of consecutive iterations of `loop`.
  /// Requires: the weights are read in place, not packed.
  std::int64_t weights_step(const Repeat& loop) const;
  /// Returns true when weights are read in place and their last vector has lanes outside the
  /// tensor.
  bool has_weights_tail() const {
    return has_weights_in_place() && has_vectors(Operand::weights) && is_ragged();
  }
  /// Returns the C type of a lane of a vector of sums. Lanes of integers are unsigned, because
  /// signed overflow is undefined in C.
  std::string lane_number() const { return is_integer() ? "uint32_t" : number(); }
  bool is_integer() const { return tileplan::is_integer(tensor(Operand::output).type); }
  bool is_double() const { return tensor(Operand::output).type == ElementType::f64; }
  /// Returns true when vectors hold pixels instead of channels. Weights are then broadcast.
  bool has_pixel_vectors() const { return !has_vectors(Operand::weights); }
  bool has_vectors(Operand operand) const {
    return is_present(tensor(operand), program.vectorised);
  }
  /// Returns the distance in elements between neighbouring lanes of the input or the output, in the
  /// packed box if there is one. Returns 1 when `operand` does not have the dimension of the
  /// vectors.
  std::int64_t lane_stride(Operand operand) const;
  /// Returns true when the extent of the dimension of the vectors is no multiple of the number of
  /// lanes.
  bool is_ragged() const { return computation.extent(program.vectorised) % lanes != 0; }
  /// Returns true when the last vector has lanes outside the operand, which code must not access.
  bool has_tail(Operand operand) const {
    return has_vectors(operand) && is_ragged() && !has_whole_vectors(computation, program, operand);
  }
};

/// Holds C text for the index along each dimension, which usually is the name of a variable. The
/// text is "0" outside all loops over the dimension.
struct Indices {
  PerDim<std::string> names;
  PerDim<int> count;  ///< Counts the variables made for each dimension.

  explicit Indices(int dims);
};

/// Opens a loop of `variable` from `first` to below `end`.
void open_for(CWriter& out, const std::string& variable, const std::string& first,
              const std::string& end, std::int64_t step = 1);

/// Opens a loop over `loop.dim` that begins at the index in `at`, then stores the loop variable in
/// `at`.
void open_loop(CWriter& out, const Computation& computation, Indices& at, const Repeat& loop);

/// Opens the loop `loop` of the LoopProgram. It begins `loop.start` iterations after the index in
/// `at`. The loop variable is then stored in `at`.
void open_loop(CWriter& out, const Computation& computation, Indices& at, const CountedLoop& loop);

/// Declares a variable that holds the start of a block of `dim`, and stores its name in `at`.
void declare_block(CWriter& out, const Computation& computation, Indices& at, Dim dim,
                   const LinearText& start);

/// Returns the distance in elements between the inputs of consecutive iterations of a reduction
/// loop, or nothing when a blocked layout may make it vary.
std::optional<std::int64_t> input_step(const EmitContext& context, const Repeat& loop);

/// Splits the innermost of `loops` so that its inner part has, if possible, an input_step() and
/// from 2 to `longest` iterations (0 means no limit). Keeps the order of iterations.
std::vector<Repeat> split_innermost(const EmitContext& context, std::vector<Repeat> loops,
                                    std::int64_t longest);

/// Returns C text for the offset in memory of the element with the indices `indices`, one for each
/// dimension of the tensor.
std::string offset_of(const TensorLayout& layout, const std::vector<LinearText>& indices);

/// Returns the index along `data` at the iteration `at` plus `shift`. The index is negative in
/// padding before the tensor.
LinearText index_text(const DataDim& data, const Indices& at, const Tile& shift);
std::vector<LinearText> index_texts(const TensorAccess& tensor, const Indices& at,
                                    const Tile& shift);

/// Returns C text for the offset in the tensor (not in a box) of the element of `operand` at the
/// iteration `at` plus `shift`.
std::string offset_text(const EmitContext& context, Operand operand, const Indices& at,
                        const Tile& shift);

/// Returns the offset, in weights that are packed in `order` from the iteration `start` on, of the
/// block of channels that begins at `at`. Reduction steps before `at` do not count.
LinearText weights_text(const WeightsOrder& order, const Indices& at, const Indices& start);

/// Describes a copy of the elements of the input or of the output that the iterations `box` access.
struct BoxCopyText {
  Operand operand = Operand::input;
  Tile box{};
  bool back = false;  ///< If true, the copy is from the box to the tensor.
};

/// Writes loops that copy the elements of the iterations from `at` on, from the tensor to the
/// packed box or back.
void emit_box_copy(CWriter& out, const EmitContext& context, const Indices& at,
                   const BoxCopyText& copy);

/// Writes code that clears `padding`. Returns false, and writes nothing, when there is no padding.
bool emit_clear(CWriter& out, const BlockPadding& padding);

}  // namespace tileplan
