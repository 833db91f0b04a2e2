// SPDX-License-Identifier: Apache-2.0
// This model counts the volumes of any nest, even with lambdas: models/README.md eq. (X).
#pragma once

#include "capacity.h"
#include "movement.h"
#include "nest.h"

namespace tileplan {

/// Holds the traffic of a nest at one cache. When the cut lies inside a lambda, `cut` and `walked`
/// describe the branch that loads most bytes.
struct FlatTraffic {
  PerTensor<std::int64_t> volumes = {};  ///< This many elements enter the cache.
  Tile cut{};                            ///< The cache holds this box.
  /// Each tensor covers this box without evictions: the cut, extended by all trips of the innermost
  /// active loop over a dim of the tensor.
  PerTensor<Tile> walked = {};

  bool operator==(const FlatTraffic&) const = default;
};

/// Returns the traffic of a cache of `capacity` units (capacity.h) while `nest` runs once. The cut
/// is the outermost position whose box fits by `rule`, or the register tile when no box fits. Rule
/// (V) holds for all active loops outside the cut. When no box outside a lambda fits, each branch
/// of the lambda has its own cut, and the volumes of the branches are added or, without an active
/// loop over a dim of the tensor, taken from the parts in sequence. By `lru2`, a whole branch must
/// fit together with one block of a neighbouring part. With `storage`, the box is counted in whole
/// cache lines too, and they must not conflict in the cache's sets. Requires a nest of `resolve`.
/// Never throws. Example: a gemm runs the loops j (2 trips), k (4) and i (3), outermost first, on a
/// 1 x 1 x 1 register tile. A cache with room for one element of each tensor then loads 24 elements
/// of A[i,k], 8 of B[k,j], which i reuses, and 24 of C[i,j].
FlatTraffic flat_traffic(const Computation& computation, const Nest& nest, std::int64_t capacity,
                         CapacityRule rule, const Storage* storage = nullptr);

/// Returns the volumes of flat_traffic alone.
PerTensor<std::int64_t> flat_volumes(const Computation& computation, const Nest& nest,
                                     std::int64_t capacity, CapacityRule rule);

}  // namespace tileplan
