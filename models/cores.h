// SPDX-License-Identifier: Apache-2.0
// The parallel loops of a nest are distributed to cores: models/README.md eq. (N).
#pragma once

#include "movement.h"
#include "nest.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Describes the nest whose accesses reach one cache.
struct NestView {
  Nest nest;
  /// Holds per tensor the traffic of the whole execution divided by that of `nest`: the cores that
  /// run this nest at once, less the iterations that the last of them lacks.
  PerTensor<double> copies;
};

struct Cores {
  double busiest_share = 1;  ///< The busiest core has this share of the parallel iterations.
  int used = 1;              ///< So many cores have work.
  NestView own;              ///< A private cache serves the iterations of one core.
  NestView joint;            ///< A shared cache serves all cores, which advance together.
};

/// Collapses the parallel loops of `nest` into one, in their order, and distributes its trips
/// evenly to at most `cores` cores. The blocks of a parallel lambda count the iterations that they
/// cover. `own` has the trips of the core with most: whole inner loops before a trip of the loops
/// around them, and the largest blocks of a lambda. Without parallel loops both views are `nest`.
/// Example: P(6,h) on 2 cores gives 3 to each. A shared cache serves 3 steps of 2 rows, and loads
/// weights once for both.
Cores cores_of(const Computation& computation, const Nest& nest, int cores);

/// Returns the nest whose accesses reach `cache`: `joint` when cores share it, else `own`.
const NestView& view_of(const Cores& cores, const CacheLevel& cache);

/// Returns the elements that enter all caches of `view` together when `volumes` enter one of them
/// while its nest runs once. They are at least the footprint of `whole`, because the accesses of
/// cores beyond a tensor are clipped.
PerTensor<double> volumes_of_all(const Computation& computation, const NestView& view,
                                 const PerTensor<std::int64_t>& volumes, const Tile& whole);

}  // namespace tileplan
