// SPDX-License-Identifier: Apache-2.0
// This file turns a nest and a machine into a Prediction: compute time, bytes and seconds per
// level, and the bottleneck. models/README.md has eq. (M) and (T).
#pragma once

#include <vector>

#include "flat.h"
#include "tileplan/prediction.h"

namespace tileplan {

/// Returns the time, traffic and bottleneck of `schedule` with hot caches, so levels that hold the
/// whole problem have no traffic. Bytes count whole cache lines. Outputs are read for ownership and
/// written back unless they are non-temporal. P loops distribute the calls and the links of private
/// caches to the cores. A private cache has the volumes of one core, and a shared cache those of
/// all cores (cores.h). `capacity` selects the rule by which boxes fit in a cache. Throws Error as
/// `resolve` and `layout_of` do.
Prediction predict(const Computation& computation, const Schedule& schedule, const Machine& machine,
                   Capacity capacity = Capacity::lru2);

/// Returns the prediction of a resolved schedule without Prediction::bound_bytes, which is equal
/// for all schedules.
Prediction predict_nest(const Computation& computation, const Nest& nest, const Marks& marks,
                        const Machine& machine, Capacity capacity);

/// Returns true when `cache` holds the part of the tensors that the iterations of its cores touch.
/// With hot caches nothing is loaded into such a cache.
bool holds_arrays(const Computation& computation, const Schedule& schedule, const Machine& machine,
                  const CacheLevel& cache);

/// Holds the contents and the traffic of one cache, as predictions count them: eq. (M).
struct CacheTraffic {
  FlatTraffic flat;           ///< The nest of view_of (cores.h) causes this traffic.
  FlatTraffic in_box;         ///< This is `flat` with boxes clipped to the packed box.
  double input_slowness = 1;  ///< This short_row_penalty is 1 for prefetched input.
};

/// Returns the traffic of cache `at` of `machine`. Requires at < machine.caches.size().
CacheTraffic cache_traffic(const Computation& computation, const Schedule& schedule,
                           const Machine& machine, std::size_t at, Capacity capacity);

/// Returns Prediction::bound_bytes. Any schedule loads at least this number of bytes into the last
/// cache, or into all private caches together if the last level is private. The result is 0 without
/// caches.
double bound_bytes(const Computation& computation, const Machine& machine);

/// Returns eq. (T): (compute^rho + sum level^rho)^(1/rho). Requires exponent >= 1.
double overlap_times(double compute_seconds, const std::vector<double>& level_seconds,
                     double exponent);

}  // namespace tileplan
