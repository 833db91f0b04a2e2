// SPDX-License-Identifier: Apache-2.0
// Volumes of any concrete nest at one cache: the flat model, lambda nodes included.
// models/README.md eq. (X).
#pragma once

#include <cstdint>

#include "capacity.h"
#include "movement.h"
#include "nest.h"

namespace tileplan {

/// What one cache sees of a nest. Below a lambda the boxes are those of its busiest branch.
struct FlatTraffic {
  PerTensor<std::int64_t> volumes;  ///< elements that enter the cache, unweighted
  Tile cut{};                       ///< the box that the cache holds
  /// What each tensor walks without losing a cache line: the cut, with the innermost active loop of
  /// a present dim run from end to end.
  PerTensor<Tile> walked;

  bool operator==(const FlatTraffic&) const = default;
};

/// Elements of each tensor that enter a cache of `capacity` elements while `nest` runs once, and
/// the box at the cut: the outermost position whose box fits (`rule`, with the next active loop
/// outside it), the register tile when none does. Rule (V) holds for all active loops outside the
/// cut. When nothing from a lambda outwards fits, each of its branches has its own cut and the
/// volumes are joined; a branch that is whole is followed by a block of its
/// neighbour. With `storage` its whole lines must fit too, and not crowd. Requires: a nest of
/// `resolve`. Never throws. Example: the gemm loops j2 k4 i3 outermost first over 1 x 1 x 1 with
/// room for one element of each tensor read 24 of A[i,k], 8 of B[k,j] (i runs innermost) and 24 of
/// C[i,j].
FlatTraffic flat_traffic(const Computation& computation, const Nest& nest, std::int64_t capacity,
                         CapacityRule rule, const Storage* storage = nullptr);

/// Its volumes alone.
PerTensor<std::int64_t> flat_volumes(const Computation& computation, const Nest& nest,
                                     std::int64_t capacity, CapacityRule rule);

}  // namespace tileplan
