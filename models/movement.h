// SPDX-License-Identifier: Apache-2.0
// These functions count the elements that enter one cache: models/README.md eq. (V).
#pragma once

#include <array>

#include "computation.h"

namespace tileplan {

/// Holds one value per tensor: input, weights, output.
template <class T>
struct PerTensor {
  std::array<T, kOperands> values{};

  T& operator[](Operand operand) { return values[static_cast<std::size_t>(operand)]; }
  const T& operator[](Operand operand) const { return values[static_cast<std::size_t>(operand)]; }
  bool operator==(const PerTensor&) const = default;
};

/// Returns the elements of each tensor that enter a cache holding one `tile`, while loops in
/// `order` (outermost first) run over the box `within`. A loop is active when tile < within.
/// Inactive loops do not count. With q the innermost active loop that is present in the tensor,
/// elements are reused inside q, q sweeps, and loops outside q load everything anew (V):
///   sweep_q = card(T) + (m - 1) * (card(2T) - card(T));   V = cards * sweep_q * trips outside q.
/// Tiles that do not divide are exact: present dims have pieces, absent ones rounded-up trips. The
/// result is never below the elements new to each tile, summed over all tiles. Requires 1 <= tile
/// <= within, and tile == within for dims that `order` lacks. Example: gemm 96x64x48 by tiles of
/// 24x16x12, i innermost: A 18432, B 3072, C 24576.
PerTensor<std::int64_t> volumes(const Computation& computation, const LoopOrder& order,
                                const Tile& tile, const Tile& within);

/// Returns the volumes for real sizes with real trip counts. They are a lower bound of the ragged
/// value, or of its posynomial bound where a data dim has three or more iterators.
PerTensor<double> volumes(const Computation& computation, const LoopOrder& order,
                          const PerDim<double>& tile, const PerDim<double>& within);

/// Returns the sum over tensors of transfers * volume (DV), in units (Computation::unit_bytes).
std::int64_t weighted(const Computation& computation, const PerTensor<std::int64_t>& volumes);
double weighted(const Computation& computation, const PerTensor<double>& volumes);

}  // namespace tileplan
