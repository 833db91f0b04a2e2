// SPDX-License-Identifier: Apache-2.0
// Says for pack=in@POS where a box is packed, what it holds, and which indices are padding.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "computation.h"
#include "nest.h"

namespace tileplan {

/// Bounds the data dims whose indices can leave the array: d, y, x, and that of pixel vectors.
constexpr int kMaxGuards = 4;

/// True when indices of `data` can leave the array, into padding or in the last pixel vector.
bool is_guarded(const Computation& computation, const DataDim& data, Dim vectorised);

/// The index of each guarded data dim; it is negative in the padding.
using GuardIndices = std::array<std::int64_t, kMaxGuards>;

/// Returns the number of loops of `nest` outside a box that is packed inside loop `position`.
/// Throws Error when `position` is no loop or lies among the reduction loops of a call.
std::size_t loops_outside_box(const Computation& computation, const Nest& nest, int position);

/// Returns the iterations of one packed box. Requires: the parts of lambdas outside it are chosen.
Tile packed_box(const Computation& computation, const Nest& nest, std::size_t outside);

/// One data dim of a packed box, which takes the multiples 0 .. (count - 1) of `gap`.
struct BoxAxis {
  std::size_t data = 0;    ///< number of the data dim
  std::int64_t gap = 1;    ///< between indices that may occur
  std::int64_t count = 1;  ///< from the smallest to the largest
  std::int64_t pitch = 1;  ///< elements between neighbours in the box
};

/// Returns the data dims of a box of layout `packed` over the iterations `box`, outermost first.
std::vector<BoxAxis> box_axes(const Computation& computation, const TensorLayout& packed,
                              const Tile& box);

/// Returns how far index `data` moves from the origin of all iterators to `at`.
inline std::int64_t index_distance(const DataDim& data, const Tile& at) {
  std::int64_t distance = 0;
  for (const Term& term : data.terms) distance += term.coefficient * at[term.dim];
  return distance;
}

/// Returns the elements from the first of a box of `tensor` to the one at `at`. Requires: the box
/// starts at a block boundary of every blocked axis, or stays inside one block.
std::int64_t offset_distance(const TensorAccess& tensor, const TensorLayout& layout,
                             const Tile& at);

}  // namespace tileplan
