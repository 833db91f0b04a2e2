// SPDX-License-Identifier: Apache-2.0
// For pack=in@POS, computes the position and the contents of a box, and which indices are padding.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "computation.h"
#include "nest.h"

namespace tileplan {

/// Only four data dims have indices that can leave the tensor: d, y, x and that of pixel vectors.
constexpr int kMaxGuards = 4;

/// Returns true when indices of `data` can leave the tensor, into padding or in the last pixel
/// vector.
bool is_guarded(const Computation& computation, const DataDim& data, Dim vectorised);

/// Holds the index of each guarded data dim. An index before the tensor is negative.
using GuardIndices = std::array<std::int64_t, kMaxGuards>;

/// Returns the number of loops of `nest` outside a box that is packed inside loop `position`.
/// Throws Error when `position` is no loop or lies among the reduction loops of a call.
std::size_t loops_outside_box(const Computation& computation, const Nest& nest, int position);

/// Describes data dim `data` of a packed box, whose indices are the multiples 0 .. (count - 1) of
/// `gap`. Neighbours are `pitch` elements apart in the box.
struct BoxAxis {
  std::size_t data = 0;
  std::int64_t gap = 1, count = 1, pitch = 1;
};

/// Returns the data dims of a box of layout `packed` over the iterations `box`, outermost first.
std::vector<BoxAxis> box_axes(const Computation& computation, const TensorLayout& packed,
                              const Tile& box);

/// Returns the index of `data` at `at` minus the index at the origin of all iterators.
inline std::int64_t index_distance(const DataDim& data, const Tile& at) {
  std::int64_t distance = 0;
  for (const Term& term : data.terms) distance += term.coefficient * at[term.dim];
  return distance;
}

/// Returns the distance in elements from the first element of a box of `tensor` to that at `at`.
/// Requires: the box starts at a block boundary of every blocked axis, or stays inside one block.
std::int64_t offset_distance(const TensorAccess& tensor, const TensorLayout& layout,
                             const Tile& at);

}  // namespace tileplan
