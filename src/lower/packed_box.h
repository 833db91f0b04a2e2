// SPDX-License-Identifier: Apache-2.0
// This file implements the rules of pack=in@POS, pack=weights@POS and pack=out@POS: the position
// and contents of a box, and its padding.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "computation.h"
#include "guards.h"
#include "nest.h"
#include "tileplan/epilogue.h"

namespace tileplan {

/// Holds the value of each index that can leave the tensor. A value in front of the tensor is
/// negative. In the loops of a Winograd convolution, it holds the indices of the group, tile, input
/// channel and output channel instead.
using GuardIndices = std::array<std::int64_t, kMaxGuards>;

/// Returns the number of loops of `nest` that enclose a box of `operand`, packed inside loop
/// `position`. Throws Error when `position` is no loop, when the microkernel runs loops that
/// enclose the box and do not all have 1 trip, or when the elements or vectors of the operand
/// cannot be packed.
std::size_t loops_outside_box(const Computation& computation, const Nest& nest, Operand operand,
                              int position);

/// Describes index number `data` of a packed box. Its values are among 0, gap, ..., (count - 1) *
/// gap; wide strides leave some of these out. Values that differ by AxisLayout::block, or by 1
/// without blocks, are `pitch` elements apart in the box.
struct BoxAxis {
  std::size_t data = 0;
  std::int64_t gap = 1, count = 1, pitch = 1;
};

/// Returns the axes, outermost first, of a box of `tensor` for the iterations `box`, stored in the
/// layout `packed`.
std::vector<BoxAxis> box_axes(const TensorAccess& tensor, const TensorLayout& packed,
                              const Tile& box);

/// Returns the value of the index `data` at the iteration `at`, minus its value when all iterators
/// are 0.
inline std::int64_t index_distance(const DataDim& data, const Tile& at) {
  std::int64_t distance = 0;
  for (const Term& term : data.terms) distance += term.coefficient * at[term.dim];
  return distance;
}

/// Returns the layout of a packed copy of the outputs that `box` writes, relative to the first
/// iteration of the box. The index of `vectorised` is innermost. Throws Error when an index of the
/// output is neither 0 nor a single iterator, or when the loops do not store the output themselves.
TensorLayout output_box_layout(const Computation& computation, const Tile& box, Dim vectorised);

/// Throws Error in two cases if the output is packed. In the first, `epilogue` adds a residual,
/// whose elements are found by the position of the output in its tensor. In the second, it adds a
/// bias whose elements are more than one element apart along `vectorised`, although a vector of
/// biases is one load.
void check_output_box(const Computation& computation, Dim vectorised,
                      const std::optional<TensorLayout>& box, const Epilogue& epilogue);

/// Returns the distance in elements from the first element of a box of `tensor` to the element at
/// `at`. Requires that along each blocked axis, the box starts at a block or stays inside one.
std::int64_t offset_distance(const TensorAccess& tensor, const TensorLayout& layout,
                             const Tile& at);

}  // namespace tileplan
