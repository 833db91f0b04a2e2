// SPDX-License-Identifier: Apache-2.0
// These functions turn a schedule and a machine into a Prediction (compute time, bytes and seconds
// per level, and the bottleneck), and return parts of it: models/README.md eq. (M) and (T).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "prediction_rules.h"
#include "tileplan/prediction.h"

namespace tileplan {

/// Returns the time, traffic and bottleneck of `schedule`. A level that holds the whole problem
/// loads only the tensors that the regime makes cold and the traffic of packing, of conflicting
/// input lines and of non-temporal outputs. Bytes count whole cache lines, summed over all cores.
/// Outputs are read for ownership and written back unless they are non-temporal. Parallel loops
/// distribute the calls, and the traffic of private caches, to the cores. A private cache sees the
/// iterations of one core, and a shared cache those of all cores (cores.h). Throws Error as
/// `resolve`, `layout_of`, `packed_layout` and `next_tile_operand` do.
Prediction predict(const Computation& computation, const Schedule& schedule, const Machine& machine,
                   const PredictionRules& rules = {});

/// Predicts schedules of one nest that differ only in their marks for prefetches and for
/// non-temporal stores. They share everything else, most of all the traffic that the caches see.
class NestPredictor {
 public:
  /// The predictor keeps references to `computation`, `nest` and `machine`, which must outlive it.
  /// Throws Error as `layout_of` and `packed_layout` do.
  NestPredictor(const Computation& computation, const Nest& nest, const Marks& marks,
                const Machine& machine, const PredictionRules& rules);
  ~NestPredictor();

  /// Returns predict_nest() of the nest with `marks`, which may differ from the marks of the
  /// constructor in `prefetch`, `ahead` and `nontemporal`. Throws Error as `next_tile_operand`
  /// does.
  Prediction with(const Marks& marks);

 private:
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

/// Returns the prediction of a resolved schedule without Prediction::bound_bytes, which is equal
/// for all schedules of `computation` on `machine` and costs time to compute. Throws Error as
/// `layout_of`, `packed_layout` and `next_tile_operand` do.
Prediction predict_nest(const Computation& computation, const Nest& nest, const Marks& marks,
                        const Machine& machine, const PredictionRules& rules);

/// Returns true when `cache` holds the part of the tensors that the iterations of its cores touch,
/// together with the data that the regime touches between two runs. With hot caches, the only
/// traffic into such a cache is that of packing, of conflicting input lines and of non-temporal
/// outputs, except into a last cache whose least share (occupancies()) does not hold these data.
/// Throws Error as `resolve`, `layout_of` and `packed_layout` do.
bool holds_arrays(const Computation& computation, const Schedule& schedule, const Machine& machine,
                  const CacheLevel& cache, const PredictionRules& rules = {});

/// Returns the traffic that the loops of `schedule` cause at cache `at` of `machine`, when data may
/// fill its usable capacity. Requires at < machine.caches.size(). Throws Error as predict() does.
CacheTraffic cache_traffic(const Computation& computation, const Schedule& schedule,
                           const Machine& machine, std::size_t at, const PredictionRules& rules);

/// Returns the shares of the usable capacity of cache `at` over which predictions take the mean:
/// 0.75, 1 and 1.25 for the last cache, whose sets fill unevenly, and of which other programs use a
/// part. A cache of 16 ways whose lines fall into all sets with equal probability keeps a line of
/// data that fill these shares of its capacity with a probability of about five sixths, a half and
/// a sixth. Other caches, and a last cache that is also the first, have the share 1 alone.
std::span<const double> occupancies(const Machine& machine, std::size_t at);

/// Returns Unhidden::fork, the time of starting a run and, on more than one core, of starting and
/// joining its threads.
double start_seconds(const Machine& machine, int cores);

/// Returns Prediction::bound_bytes: a lower bound on the bytes that any schedule loads into the
/// last cache, or into all caches of the last level together. It is 0 without caches.
double bound_bytes(const Computation& computation, const Machine& machine);

/// Returns the first term of eq. (T), which leaves out the unhidden time: (compute^rho + sum
/// level^rho)^(1/rho) with rho = `exponent`. Requires exponent >= 1.
double overlap_times(double compute_seconds, const std::vector<double>& level_seconds,
                     double exponent);

}  // namespace tileplan
