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

/// Holds the inputs of all functions that write code.
struct EmitContext {
  const Computation& computation;
  const LoopProgram& program;
  int lanes = 1;
  int prefetch = 0;        ///< Schedule::prefetch has this value.
  Epilogue epilogue = {};  ///< Register tiles compute the epilogue when their sums are complete.
  /// The loops compute the products of this convolution, whose transforms have its epilogue.
  const WinogradConvolution* winograd = nullptr;
  bool keep_operands = false;         ///< Compilers must not fold loads into multiply-adds.
  const StagePlan* stages = nullptr;  ///< These stages surround the loops; null is none.

  const TensorAccess& tensor(Operand operand) const { return computation.tensor(operand); }
  const OperandPlace& place(Operand operand) const { return program.place(operand); }
  /// Returns the C type of what the loops read or write as one element of `operand`. Sums have the
  /// type of the output.
  std::string number(Operand operand = Operand::output) const {
    return tensor(operand).strip > 1 ? "strip" : c_type(tensor(operand).type);
  }
  /// Returns true when a multiply-add takes strips of several elements.
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
  /// Returns true when the highest bits of the input are inverted, so that padding counts too.
  bool flips_input() const { return stages != nullptr && stages->types.flips_input; }
  /// Returns true when the bias holds corrections, of which each product of a batch has its own.
  bool corrects_channels() const { return stages != nullptr && stages->corrects_channels(); }
  /// Returns true when weights are packed before the run.
  bool is_packed() const { return program.weights_source == WeightsSource::packed; }
  bool has_weights_in_place() const { return program.weights_source == WeightsSource::in_place; }
  /// Returns the distance in elements between the weights of consecutive iterations of `loop`,
  /// which are read in place.
  std::int64_t weights_step(const Repeat& loop) const;
  /// Returns true when the last vector of weights has lanes outside the tensor.
  bool has_weights_tail() const {
    return has_weights_in_place() && has_vectors(Operand::weights) && is_ragged();
  }
  /// Returns the C type of a lane of a vector. Integers wrap, which C allows for unsigned ones
  /// only.
  std::string lane_number() const { return is_integer() ? "uint32_t" : number(); }
  bool is_integer() const { return tileplan::is_integer(tensor(Operand::output).type); }
  bool is_double() const { return tensor(Operand::output).type == ElementType::f64; }
  /// Returns true when vectors hold pixels instead of channels. Weights are then broadcast.
  bool has_pixel_vectors() const { return !has_vectors(Operand::weights); }
  bool has_vectors(Operand operand) const {
    return is_present(tensor(operand), program.vectorised);
  }
  /// Returns the distance in elements between neighbouring lanes of `operand`, in the box if there
  /// is one. Returns 1 when `operand` lacks the vectorised dim.
  std::int64_t lane_stride(Operand operand) const;
  /// Returns true when the extent of the vectorised dim is no multiple of the number of lanes.
  bool is_ragged() const { return computation.extent(program.vectorised) % lanes != 0; }
  /// Returns true when the last vector has lanes outside the operand, which code must not access.
  bool has_tail(Operand operand) const {
    return has_vectors(operand) && is_ragged() && !has_whole_vectors(computation, program, operand);
  }
};

/// Names the variable that holds the index of each dim. The name is "0" outside all loops over the
/// dim.
struct Indices {
  PerDim<std::string> names;
  PerDim<int> count;  ///< Each dim has this many loops so far.

  explicit Indices(int dims);
};

/// Opens a loop of `variable` from `first` to below `end`.
void open_for(CWriter& out, const std::string& variable, const std::string& first,
              const std::string& end, std::int64_t step = 1);

/// Opens a loop that begins at the index in `at`, then stores the loop variable in `at`.
void open_loop(CWriter& out, const Computation& computation, Indices& at, const Repeat& loop);

/// Opens a loop of the program. It begins `loop.start` iterations after the index in `at`.
void open_loop(CWriter& out, const Computation& computation, Indices& at, const CountedLoop& loop);

/// Declares a variable that holds the start of a block of `dim`, and stores its name in `at`.
void declare_block(CWriter& out, const Computation& computation, Indices& at, Dim dim,
                   const LinearText& start);

/// Returns the distance in elements between the inputs of consecutive iterations of a reduction
/// loop, or nothing when blocks make it vary.
std::optional<std::int64_t> input_step(const EmitContext& context, const Repeat& loop);

/// Splits the innermost of `loops` such that its inner part has an input_step, and then such that
/// this part has at most `longest` iterations (0 is no limit). Keeps the order of iterations.
std::vector<Repeat> split_innermost(const EmitContext& context, std::vector<Repeat> loops,
                                    std::int64_t longest);

/// Returns the offset in memory, as C text, of the element at `indices` of the data dims.
std::string offset_of(const TensorLayout& layout, const std::vector<LinearText>& indices);

/// Returns the index of `data` at `at` plus `shift`. It is negative in front of the tensor.
LinearText index_text(const DataDim& data, const Indices& at, const Tile& shift);
std::vector<LinearText> index_texts(const TensorAccess& tensor, const Indices& at,
                                    const Tile& shift);

/// Returns the offset in memory, as C text, of the element of `operand` at `at` plus `shift`.
std::string offset_text(const EmitContext& context, Operand operand, const Indices& at,
                        const Tile& shift);

/// Returns the offset of the first weights, packed in `order`, that the reduction at `at` reads.
LinearText weights_text(const WeightsOrder& order, const Indices& at);

/// Describes a copy of the elements of the input or of the output that the iterations `box` access.
struct BoxCopyText {
  Operand operand = Operand::input;
  Tile box{};
  bool back = false;  ///< If true, the copy is from the box to the tensor.
};

/// Writes loops that copy to the packed box, or back, the elements of the iterations from `at` on.
void emit_box_copy(CWriter& out, const EmitContext& context, const Indices& at,
                   const BoxCopyText& copy);

/// Writes code that clears the padding. Returns false, and writes nothing, when there is none.
bool emit_clear(CWriter& out, const BlockPadding& padding);

}  // namespace tileplan
