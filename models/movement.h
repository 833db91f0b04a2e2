// SPDX-License-Identifier: Apache-2.0
// These functions count the elements that are loaded into one cache: models/README.md eq. (V).
#pragma once

#include <array>

#include "computation.h"

namespace tileplan {

/// Holds one value for each tensor, in the order of Operand.
template <class T>
struct PerTensor {
  std::array<T, kOperands> values{};

  T& operator[](Operand operand) { return values[static_cast<std::size_t>(operand)]; }
  const T& operator[](Operand operand) const { return values[static_cast<std::size_t>(operand)]; }
  bool operator==(const PerTensor&) const = default;
};

/// Returns the number of elements of each tensor that are loaded into a cache that holds one
/// `tile`, while loops in `order` (outermost first) run over the box `within`. Only loops with tile
/// < within are active and count. With q the innermost active loop over a dimension of the tensor,
/// loops inside q reuse all elements, q loads only new elements in each of its m steps, and loops
/// outside q load everything again (V):
///   sweep_q = card(T) + (m - 1) * (card(2T) - card(T));   V = cards * sweep_q * trips outside q,
/// where T is the tile, 2T is twice as large along q, card counts the values of the index of q, and
/// cards is the product of the counts of all other indices. The count is exact also for tiles that
/// do not divide `within`. Requires 1 <= tile <= within, and tile == within for dimensions that
/// `order` lacks. Example: a gemm 96x64x48 with tiles of 24x16x12 and i innermost loads 18432
/// elements of A, 3072 of B and 24576 of C.
PerTensor<std::int64_t> volumes(const Computation& computation, const LoopOrder& order,
                                const Tile& tile, const Tile& within);

/// Returns the volumes for real sizes with real trip counts, which are at most those of integer
/// sizes. If an index of a tensor has three or more iterators, this holds only when the volumes of
/// integer sizes are computed with the upper bound that card() returns for real sizes.
PerTensor<double> volumes(const Computation& computation, const LoopOrder& order,
                          const PerDim<double>& tile, const PerDim<double>& within);

/// Returns the sum of transfers * volume over the tensors, in units (Computation::unit_bytes).
/// `transfers` is 2 for tensors that are read and written.
std::int64_t weighted(const Computation& computation, const PerTensor<std::int64_t>& volumes);
double weighted(const Computation& computation, const PerTensor<double>& volumes);

}  // namespace tileplan
