// SPDX-License-Identifier: Apache-2.0
// Deals the parallel loops of a nest out to cores and shared caches. models/README.md eq. (N).
#pragma once

#include "computation.h"
#include "movement.h"
#include "nest.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Describes the nest whose accesses reach one cache.
struct NestView {
  Nest nest;
  /// Traffic of the whole execution over the traffic of `nest`, per tensor: the cores that run this
  /// nest side by side, less the iterations that the last of them lacks.
  PerTensor<double> copies;
};

struct Cores {
  double busiest_share = 1;  ///< of all iterations of the parallel loops, on the core with most
  int used = 1;              ///< cores that have work
  NestView own;              ///< in a private cache: the iterations of one core
  NestView joint;            ///< in a shared cache: the cores advance together, side by side
};

/// Collapses the parallel loops of `nest` into one, in their order, and deals its trips out evenly
/// to at most `cores` cores. The blocks of a parallel lambda count as what they cover. `own` has
/// the trips of the core with most: whole inner loops before a trip of the loops around them, and
/// the largest blocks of a lambda. Without parallel loops both views are `nest`. Example: P(6,h) on
/// 2 cores gives 3 to each; a shared cache sees 3 steps of 2 rows, and weights once for both.
Cores cores_of(const Computation& computation, const Nest& nest, int cores);

/// Returns the nest that `cache` sees: `joint` when cores share it, else `own`.
const NestView& view_of(const Cores& cores, const CacheLevel& cache);

/// Returns the elements that all caches which see `view` take in together when `volumes` enter one
/// of them while its nest runs once. They are at least the footprint of `whole`, because what cores
/// reach beyond a tensor is clipped.
PerTensor<double> volumes_of_all(const Computation& computation, const NestView& view,
                                 const PerTensor<std::int64_t>& volumes, const Tile& whole);

}  // namespace tileplan
