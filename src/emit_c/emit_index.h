// SPDX-License-Identifier: Apache-2.0
// What emitted C is written from, its loops, and where in memory their indices lead.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "block_padding.h"
#include "c_text.h"
#include "loop_program.h"
#include "tileplan/epilogue.h"

namespace tileplan {

/// What every part of the emitted code refers to.
struct EmitContext {
  const Computation& computation;
  const LoopProgram& program;
  int lanes = 1;
  int prefetch = 0;  ///< Schedule::prefetch
  Epilogue epilogue = {};
  bool keep_operands = false;  ///< keep the compiler from folding loads into multiply-adds

  const TensorAccess& tensor(Operand operand) const { return computation.tensor(operand); }
  const OperandPlace& place(Operand operand) const { return program.place(operand); }
  /// The C type of the elements of `operand`; sums have that of the output.
  std::string number(Operand operand = Operand::output) const {
    return tensor(operand).type == ElementType::f64 ? "double" : "float";
  }
  bool is_double() const { return tensor(Operand::output).type == ElementType::f64; }
  /// True when vectors are of pixels; weights are then broadcast.
  bool has_pixel_vectors() const { return !has_vectors(Operand::weights); }
  /// True when `operand` has the vectorised dim.
  bool has_vectors(Operand operand) const {
    return is_present(tensor(operand), program.vectorised);
  }
  /// Elements between neighbours of the vectorised dim in the input, as it is read, or the output.
  std::int64_t lane_stride(Operand operand) const;
  /// True when the extent of the vectorised dim is not whole vectors.
  bool is_ragged() const { return computation.extent(program.vectorised) % lanes != 0; }
  /// True when the last vector of the vectorised dim has lanes outside the input, as it is read, or
  /// the output.
  bool has_tail(Operand operand) const {
    return has_vectors(operand) && is_ragged() && !has_whole_vectors(computation, program, operand);
  }
};

/// Variable that holds the index of each dim, "0" before its first loop.
struct Indices {
  PerDim<std::string> names;
  PerDim<int> count;  ///< loops of the dim so far

  explicit Indices(int dims);
};

/// Opens a loop over `dim` from where `at` is; `at` moves on to its variable.
void open_loop(CWriter& out, const Computation& computation, Indices& at, const Repeat& loop);

/// The same for a loop of the program, which may begin behind earlier parts of a list of blocks.
void open_loop(CWriter& out, const Computation& computation, Indices& at, const CountedLoop& loop);

/// Declares where a block of `dim` begins; `at` moves on to the variable.
void declare_block(CWriter& out, const Computation& computation, Indices& at, Dim dim,
                   const LinearText& start);

/// Elements of the input between two neighbouring iterations of a reduction loop; nothing when they
/// are not always as many, at the border of a block.
std::optional<std::int64_t> input_step(const EmitContext& context, const Repeat& loop);

/// The same iterations in the same order: the innermost loop of `loops` in two where the inner one
/// then has an input_step, and has at most `longest` iterations when a divisor above 1 allows that;
/// 0: any number.
std::vector<Repeat> split_innermost(const EmitContext& context, std::vector<Repeat> loops,
                                    std::int64_t longest);

/// Offset in memory of the element whose index of each data dim is given.
std::string offset_of(const TensorLayout& layout, const std::vector<LinearText>& indices);

/// Index of `data` at `at`, `shift` added to it, padding negative.
LinearText index_text(const DataDim& data, const Indices& at, const Tile& shift);

/// Offset of one element in memory: indices of `tensor` at `at`, `shift` added to them.
std::string offset_text(const EmitContext& context, Operand operand, const Indices& at,
                        const Tile& shift);

/// Offset of the packed weights at `at` where a reduction begins.
LinearText weights_text(const EmitContext& context, const Indices& at);

/// Copies what the iterations `box` from `at` on read of the input into the packed box.
void copy_box(CWriter& out, const EmitContext& context, const Indices& at, const Tile& box);

/// Zeros in the padding, if there is any; false when not.
bool emit_clear(CWriter& out, const BlockPadding& padding);

}  // namespace tileplan
