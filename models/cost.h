// SPDX-License-Identifier: Apache-2.0
// Nest x machine -> Prediction: compute, bytes and seconds per level, the bottleneck.
// models/README.md eq. (M), (T).
#pragma once

#include <vector>

#include "flat.h"
#include "nest.h"
#include "tileplan/machine.h"
#include "tileplan/options.h"
#include "tileplan/prediction.h"

namespace tileplan {

/// Time, traffic and bottleneck of `schedule` with hot caches: levels that hold the whole problem
/// are filled from nowhere. Bytes count whole lines, outputs are read for ownership and written
/// back unless non-temporal. P loops share the calls and the links of private caches among the
/// cores: the volumes of a private cache are those of one core, a shared one sees all cores side by
/// side (cores.h). What nchw costs (repack.h) comes on top. Caches hold what `capacity` says. eq.
/// (M), (T). Throws Error as `resolve` and `layout_of` do.
Prediction predict(const Computation& computation, const Schedule& schedule, const Machine& machine,
                   Capacity capacity = Capacity::lru2);

/// `predict` without Prediction::bound_bytes, which is the same for every schedule.
Prediction predict_nest(const Computation& computation, const Schedule& schedule,
                        const Machine& machine, Capacity capacity);

/// Whether `cache` holds what the iterations that it sees (cores.h) touch of the arrays, as the
/// loops of `schedule` find them: with hot caches these are read from nowhere.
bool holds_arrays(const Computation& computation, const Schedule& schedule, const Machine& machine,
                  const CacheLevel& cache);

/// What one cache holds and takes in of a schedule, as predictions count it: eq. (M).
struct CacheTraffic {
  FlatTraffic flat;           ///< of the nest that it sees (cores.h), whole lines counted
  FlatTraffic in_box;         ///< the same, boxes no larger than the one that is packed
  double input_slowness = 1;  ///< of the input's lines, scattered.h; 1 where `ahead` brings them
};

/// That of cache `at` of `machine`, which holds what `capacity` says. Requires: `at` is a level.
CacheTraffic cache_traffic(const Computation& computation, const Schedule& schedule,
                           const Machine& machine, std::size_t at, Capacity capacity);

/// Prediction::bound_bytes: bytes that at least enter the last cache, or the private ones of
/// all cores of `machine` together; 0 without caches.
double bound_bytes(const Computation& computation, const Machine& machine);

/// eq. (T) alone: (compute^rho + sum level^rho)^(1/rho). Requires exponent >= 1.
double overlapped(double compute_seconds, const std::vector<double>& level_seconds,
                  double exponent);

}  // namespace tileplan
