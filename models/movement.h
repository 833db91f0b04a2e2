// SPDX-License-Identifier: Apache-2.0
// Loop order and tile -> elements that enter one cache, per tensor. models/README.md eq. (V).
#pragma once

#include <array>
#include <cstdint>

#include "computation.h"
#include "dims.h"

namespace tileplan {

/// Elements per tensor: input, weights, output.
template <class T>
struct PerTensor {
  std::array<T, kOperands> values{};

  T& operator[](Operand operand) { return values[static_cast<std::size_t>(operand)]; }
  const T& operator[](Operand operand) const { return values[static_cast<std::size_t>(operand)]; }
  bool operator==(const PerTensor&) const = default;
};

/// Elements of each tensor that enter a cache holding one `tile`, while loops in `order` (outermost
/// first) walk the box `within`. A loop is active when tile < within; inactive ones do not count.
/// REUSE inside the innermost active loop q present in the tensor, EXPAND or SPILL at q, SPILL
/// outside:
///   sweep_q = card(T) + (m - 1) * (card(2T) - card(T));   V = cards * sweep_q * trips outside q.
///   (V)
/// Tiles that do not divide are exact: pieces for present dims, rounded-up trips for
/// absent ones. Unweighted; never below the elements new to each tile summed over all tiles.
/// Requires 1 <= tile <= within, and tile == within for dims that `order` lacks. Example: gemm
/// 96x64x48 by tiles of 24x16x12, i innermost: A 18432, B 3072, C 24576.
PerTensor<std::int64_t> volumes(const Computation& computation, const LoopOrder& order,
                                const Tile& tile, const Tile& within);

/// The same for real sizes with real trip counts: a lower bound of the ragged value (three or more
/// iterators in one data dim: of its posynomial bound).
PerTensor<double> volumes(const Computation& computation, const LoopOrder& order,
                          const PerDim<double>& tile, const PerDim<double>& within);

/// sum over tensors of transfers * volume (DV).
std::int64_t weighted(const Computation& computation, const PerTensor<std::int64_t>& volumes);
double weighted(const Computation& computation, const PerTensor<double>& volumes);

}  // namespace tileplan
