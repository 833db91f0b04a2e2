// SPDX-License-Identifier: Apache-2.0
// Loop order and tile -> elements that enter one cache, per tensor. models/README.md eq. (V).
#pragma once

#include <array>
#include <cstdint>

#include "dims.h"
#include "computation.h"

namespace tileplan {

/// Elements per tensor: input, weights, output.
template <class T>
struct PerTensor {
  std::array<T, kOperands> values{};

  T& operator[](Operand operand) { return values[static_cast<std::size_t>(operand)]; }
  const T& operator[](Operand operand) const { return values[static_cast<std::size_t>(operand)]; }
  bool operator==(const PerTensor&) const = default;
};

/// Elements of each tensor that enter a cache holding one `tile`, while loops in `order` (outermost first) walk the box `within`.
/// REUSE inside the innermost active loop q present in the tensor, EXPAND or SPILL at q, SPILL outside (model.md 2.1).
/// Tiles that do not divide are exact (2.4). Unweighted. Requires 1 <= tile <= within.
PerTensor<std::int64_t> volumes(const Computation& computation, const LoopOrder& order,
                                const Tile& tile, const Tile& within);

/// The same for real sizes with real trip counts: a lower bound of the ragged value.
PerTensor<double> volumes(const Computation& computation, const LoopOrder& order,
                          const PerDim<double>& tile, const PerDim<double>& within);

/// sum over tensors of transfers * volume (DV).
std::int64_t weighted(const Computation& computation, const PerTensor<std::int64_t>& volumes);
double weighted(const Computation& computation, const PerTensor<double>& volumes);

}  // namespace tileplan
