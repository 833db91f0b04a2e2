// SPDX-License-Identifier: Apache-2.0
// This model counts the volumes of any nest, lambdas included: models/README.md eq. (X).
#pragma once

#include "capacity.h"
#include "movement.h"
#include "nest.h"

namespace tileplan {

/// Holds the traffic of a nest at one cache. Inside a lambda the boxes are those of its busiest
/// branch.
struct FlatTraffic {
  PerTensor<std::int64_t> volumes = {};  ///< These elements enter the cache, unweighted.
  Tile cut{};                            ///< The cache holds this box.
  /// Holds the box that each tensor covers without losing a cache line: the cut, with the innermost
  /// active loop of a present dim run from end to end.
  PerTensor<Tile> walked = {};

  bool operator==(const FlatTraffic&) const = default;
};

/// Returns the elements of each tensor that enter a cache of `capacity` units (capacity.h) while
/// `nest` runs once, and the box at the cut. The cut is the outermost position whose box fits by
/// `rule`, together with the next active loop outside it. It is the register tile when none fits.
/// Rule (V) holds for all active loops outside the cut. When nothing from a lambda outwards fits,
/// each of its branches has its own cut, and the volumes are joined. A branch that fits whole is
/// followed by a block of its neighbour. With `storage` the whole cache lines of the box must fit
/// too, and not crowd. Requires a nest of `resolve`. Never throws. Example: the gemm loops j2 k4 i3
/// outermost first over 1 x 1 x 1 with room for one element of each tensor read 24 of A[i,k], 8 of
/// B[k,j] (i runs innermost) and 24 of C[i,j].
FlatTraffic flat_traffic(const Computation& computation, const Nest& nest, std::int64_t capacity,
                         CapacityRule rule, const Storage* storage = nullptr);

/// Returns the volumes of flat_traffic alone.
PerTensor<std::int64_t> flat_volumes(const Computation& computation, const Nest& nest,
                                     std::int64_t capacity, CapacityRule rule);

}  // namespace tileplan
