// SPDX-License-Identifier: Apache-2.0
// This file turns a nest and a machine into a Prediction: compute time, bytes and seconds per
// level, and the bottleneck. models/README.md has eq. (M) and (T).
#pragma once

#include <vector>

#include "flat.h"
#include "tileplan/prediction.h"

namespace tileplan {

/// Returns the time, traffic and bottleneck of `schedule` with hot caches: levels that hold the
/// whole problem are idle. Bytes count whole cache lines. Outputs are read for ownership and
/// written back unless they are non-temporal. P loops share the calls and the links of private
/// caches among the cores. The volumes of a private cache are those of one core, and those of a
/// shared cache are of all cores together (cores.h). `capacity` says what a cache holds. Throws
/// Error as `resolve` and `layout_of` do.
Prediction predict(const Computation& computation, const Schedule& schedule, const Machine& machine,
                   Capacity capacity = Capacity::lru2);

/// Returns the prediction of a resolved schedule without Prediction::bound_bytes, which is equal
/// for all schedules.
Prediction predict_nest(const Computation& computation, const Nest& nest, const Marks& marks,
                        const Machine& machine, Capacity capacity);

/// Returns true when `cache` holds the part of the tensors that its iterations touch. With hot
/// caches such a cache is never filled.
bool holds_arrays(const Computation& computation, const Schedule& schedule, const Machine& machine,
                  const CacheLevel& cache);

/// Holds the contents and the traffic of one cache as predictions count them: eq. (M).
struct CacheTraffic {
  FlatTraffic flat;           ///< It is the traffic of view_of (cores.h), in whole cache lines.
  FlatTraffic in_box;         ///< It has the boxes of `flat`, but none larger than the packed one.
  double input_slowness = 1;  ///< This is the short_row_penalty, or 1 for prefetched input.
};

/// Returns the traffic of cache `at` of `machine`. Requires: `at` is a level.
CacheTraffic cache_traffic(const Computation& computation, const Schedule& schedule,
                           const Machine& machine, std::size_t at, Capacity capacity);

/// Returns Prediction::bound_bytes: any schedule loads at least these bytes into the last cache, or
/// into the private ones of all cores together. It is 0 without caches.
double bound_bytes(const Computation& computation, const Machine& machine);

/// Returns eq. (T): (compute^rho + sum level^rho)^(1/rho). Requires exponent >= 1.
double overlap_times(double compute_seconds, const std::vector<double>& level_seconds,
                     double exponent);

}  // namespace tileplan
