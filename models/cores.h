// SPDX-License-Identifier: Apache-2.0
// These functions distribute the parallel loops of a nest to cores, and derive the traffic and the
// link times of all cores together: models/README.md eq. (N).
#pragma once

#include "movement.h"
#include "nest.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Holds the part of a nest whose accesses reach one cache: the iterations of one core for a
/// private cache, and those of all cores together for a shared cache.
struct NestView {
  Nest nest;
  /// Holds, per tensor, the traffic of the whole execution divided by that of `nest`. For a private
  /// cache, it is the number of cores that run such a nest at once, or less when some cores have
  /// fewer iterations than `nest`.
  PerTensor<double> copies;
};

struct Cores {
  /// Gives the share of the parallel iterations that the busiest core executes.
  double busiest_share = 1;
  int used = 1;  ///< Counts the cores that have work.
  NestView own;  ///< Describes the accesses to a private cache, by the iterations of one core.
  /// Describes the accesses to a shared cache, by all cores, which advance together.
  NestView joint;
};

/// Collapses the parallel loops of `nest` into one loop and distributes its trips evenly to at most
/// `cores` cores, as OpenMP's static schedule does. `own` has at least as many trips as the busiest
/// core, and forms a box: an outer parallel loop gets more than one trip only if the parallel loops
/// inside it get all their trips. Without parallel loops both views equal `nest`. Example: with
/// P(6,h) on 2 cores, `own` has 3 rows, and `joint` has 3 steps of 2 rows each.
Cores cores_of(const Computation& computation, const Nest& nest, int cores);

/// Returns the nest whose accesses reach `cache`: `joint` when cores share it, else `own`.
const NestView& view_of(const Cores& cores, const CacheLevel& cache);

/// Returns the time that the link into cache `at` of `machine` takes for the traffic of all cores,
/// divided by the time that one core would take for it.
double link_share(const Cores& cores, const Machine& machine, std::size_t at);

/// Returns the number of elements that enter all caches of `view` together when `volumes` enter one
/// cache while the nest of `view` runs once. The result is at least the footprint of `whole`, the
/// box of all iterations, because each element enters at least once.
PerTensor<double> volumes_of_all(const Computation& computation, const NestView& view,
                                 const PerTensor<std::int64_t>& volumes, const Tile& whole);

}  // namespace tileplan
