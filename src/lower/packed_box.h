// SPDX-License-Identifier: Apache-2.0
// pack=in@POS: where the box of the input is packed, what it holds, and how its indices leave the
// array.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "computation.h"
#include "nest.h"

namespace tileplan {

/// Data dims of the input whose indices can leave the array: d, y, x, and that of vectors of
/// pixels.
constexpr int kMaxGuards = 4;

/// True when indices of `data`, of the input, can leave the array: into the padding, or beyond its
/// end in the last vector of pixels.
bool is_guarded(const Computation& computation, const DataDim& data, Dim vectorised);

/// Index of each guarded data dim, padding negative.
using GuardIndices = std::array<std::int64_t, kMaxGuards>;

/// Number of loops of `nest` that stand outside a box packed inside loop `position` (0 =
/// outermost); loops of one trip below it aside. Throws Error when `position` is not a loop, or
/// when reduction loops directly around the register tile are among them: those are one call of the
/// microkernel.
std::size_t loops_outside_box(const Computation& computation, const Nest& nest, int position);

/// The iterations of one packed box. Requires: the parts of lambdas outside it are chosen.
Tile packed_box(const Computation& computation, const Nest& nest, std::size_t outside);

/// One data dim of the input over a packed box: the multiples 0 .. (count - 1) of `gap`.
struct BoxAxis {
  std::size_t data = 0;    ///< number of the data dim
  std::int64_t gap = 1;    ///< between indices that may occur
  std::int64_t count = 1;  ///< from the smallest to the largest
  std::int64_t pitch = 1;  ///< elements between neighbours in the box
};

/// The data dims as they lie in a box of layout `packed` over the iterations `box`, outermost
/// first.
std::vector<BoxAxis> box_axes(const Computation& computation, const TensorLayout& packed,
                              const Tile& box);

/// The distance that index `data` moves from the origin of all iterators to `at`.
inline std::int64_t index_distance(const DataDim& data, const Tile& at) {
  std::int64_t distance = 0;
  for (const Term& term : data.terms) distance += term.coefficient * at[term.dim];
  return distance;
}

/// Elements from the first element of a box of `tensor` to the one at `at`. Requires: the box
/// starts at a block boundary of every blocked axis, or stays inside one block.
std::int64_t offset_distance(const TensorAccess& tensor, const TensorLayout& layout,
                             const Tile& at);

}  // namespace tileplan
