// SPDX-License-Identifier: Apache-2.0
// This file describes operators that copy elements to other places, such as Transpose and Concat.
#pragma once

#include "node_view.h"

namespace tileplan {

/// Limits the extents of inputs and of resized outputs. Each axis has lists of indices, so that a
/// model with larger extents could exhaust the memory.
constexpr std::int64_t kMostIndices = std::int64_t{1} << 24;

/// Describes one loop of a copy. Iteration i reads index in_index[i] of axis `in_axis`, and writes
/// index out_index[i] of axis `out_axis`. Both lists have the same length.
struct LoopMap {
  std::size_t in_axis = 0, out_axis = 0;
  Extents in_index = {}, out_index = {};
};

/// Describes a copy of elements of one input to one output by nested loops, one per axis.
struct Move {
  std::size_t input = 0, output = 0;
  std::vector<LoopMap> loops = {};
};

/// Holds the copies of a node. Elements that no copy writes become `fill`.
struct Moves {
  std::vector<Move> list = {};
  std::vector<Extents> outputs = {};  ///< Holds the shapes of the outputs.
  double fill = 0;
  /// If false, the copies write all elements of the outputs.
  bool fills = false;
};

/// Returns true for operators whose copies moves_of() returns.
bool is_move(const std::string& kind);

/// Returns the copies of a Transpose, Slice, Split, Concat, Pad, Resize, Upsample or Gather. A
/// Gather with a scalar index keeps its axis here, with one element. Throws Error when attributes
/// do not fit, and NotUnderstood for forms that are not supported, such as a Resize that
/// interpolates.
Moves moves_of(const NodeView& node);

/// Describes a copy by nested loops. Each loop has two tables with an offset in elements for each
/// iteration. The innermost statement is to[sum of offsets] = from[sum of offsets].
struct OffsetLoops {
  struct Loop {
    Extents from = {}, to = {};
  };
  std::vector<Loop> loops = {};
  /// If true, the innermost loop copies contiguous elements to contiguous elements.
  bool contiguous = false;
};

/// Returns the loops and tables of offsets of `move` for row-major tensors with the shapes `in` and
/// `out`.
OffsetLoops row_major_loops(const Move& move, const Extents& in, const Extents& out);

/// Drops loops of one iteration, but leaves at least one loop. Makes the loop with the smallest
/// step in the target the innermost one, and orders the others by the smaller of their steps in
/// source and target, which decrease inwards. Sets `contiguous`.
void order_loops(OffsetLoops& loops);

/// Copies elements from the tensor at `from` to the tensor at `to`. Copies one element when there
/// are no loops.
template <class Number>
void run_loops(const OffsetLoops& loops, const Number* from, Number* to);

}  // namespace tileplan
