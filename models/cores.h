// SPDX-License-Identifier: Apache-2.0
// The parallel loops of a nest dealt out to cores: what one core runs, and what a cache that they
// share sees. models/README.md eq. (N).
#pragma once

#include "computation.h"
#include "movement.h"
#include "nest.h"
#include "tileplan/machine.h"

namespace tileplan {

/// A nest as one cache sees it.
struct View {
  Nest nest;
  /// All traffic of the execution over the traffic of `nest`, for each tensor: cores that run the
  /// same nest side by side, less the iterations that the last of them lacks.
  PerTensor<double> copies;
};

struct Cores {
  double busiest_share = 1;  ///< of all iterations of the parallel loops, on the core with most
  int used = 1;              ///< cores that have work
  View own;                  ///< in a private cache: the iterations of one core
  View joint;                ///< in a shared cache: the cores advance together, side by side
};

/// The parallel loops of `nest`, collapsed into one in their order, in shares of as many trips on
/// at most `cores` cores; blocks of a parallel lambda count as what they cover. `own` has the trips
/// of the core with most, of the innermost loops whole before a trip of those around them, and of a
/// lambda its largest blocks. Without parallel loops both views are `nest`. Example: P(6,h) on 2
/// cores: each runs 3 of them; a shared cache sees 3 steps of 2 rows, and weights, which have no h,
/// once for both.
Cores cores_of(const Computation& computation, const Nest& nest, int cores);

/// What `cache` sees: `joint` when cores share it, else `own`.
const View& view_of(const Cores& cores, const CacheLevel& cache);

/// Elements that all caches which see `view` take in together when `volumes` enter one of them
/// while its nest runs once. At least `whole` of each tensor: what the cores of a view reach beyond
/// the tensor is clipped.
PerTensor<double> volumes_of_all(const Computation& computation, const View& view,
                                 const PerTensor<std::int64_t>& volumes, const Tile& whole);

}  // namespace tileplan
