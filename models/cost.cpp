// SPDX-License-Identifier: Apache-2.0
// This file predicts the time of one nest by eq. (M), (T), (E) and (Q) of models/README.md. It adds
// the time of stored vectors that lie in two cache lines, eq. (W).
#include "cost.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "apart_rows.h"
#include "bounds.h"
#include "branches.h"
#include "capacity.h"
#include "compute.h"
#include "conflicts.h"
#include "footprint.h"
#include "integers.h"
#include "link_flows.h"
#include "packing_cost.h"
#include "partial_overlap.h"
#include "short_rows.h"

namespace tileplan {
namespace {

/// Gives the additional cycles for storing a vector of outputs that lies in two cache lines. The
/// value was measured on one machine (docs/experiments.md).
constexpr double kCyclesPerSplitStore = 1.5;

/// Returns the time by which stores take longer because their vectors lie in two cache lines, if
/// one core executes all calls. Packed outputs are stored in whole lines.
double split_stores_seconds(const ResolvedSchedule& resolved,
                            const std::vector<BranchCompute>& compute) {
  if (resolved.machine.caches.empty() || resolved.marks.pack_output) return 0;
  double stores = 0;
  for (const BranchCompute& branch : compute)
    stores += branch.calls.calls * static_cast<double>(branch.tile.pixels * branch.tile.vectors);
  const double split =
      split_stores(resolved.computation, resolved.nest, resolved.output, resolved.machine);
  return split * stores * kCyclesPerSplitStore / resolved.machine.clock.hertz;
}

/// Gives the share of the usable capacity of the third level above which prefetches count as free:
/// data that fill more come partly from memory, so that prefetching pays. The value was chosen, not
/// fitted.
constexpr double kFilled = 0.25;

struct LinkTime {
  LevelPrediction level;
  double unprefetched_seconds = 0;
  double prefetched_bytes = 0;
  double exposed_seconds = 0;  ///< Gives the time of non-temporal stores that nothing hides.

  void add(const LinkTime& other, double weight) {
    level.bytes += weight * other.level.bytes;
    level.seconds += weight * other.level.seconds;
    level.burst_seconds += weight * other.level.burst_seconds;
    unprefetched_seconds += weight * other.unprefetched_seconds;
    prefetched_bytes += weight * other.prefetched_bytes;
    exposed_seconds += weight * other.exposed_seconds;
  }
};

/// Returns the share of the computation in each of `parts`. With parallel loops, `parts` may belong
/// to the nest of one core, whose branches are not those of `compute`. Each part then gets its
/// share of the iterations.
std::vector<double> compute_shares(const std::vector<TrafficPart>& parts,
                                   const std::vector<BranchCompute>& compute) {
  std::vector<double> iterations, cycles;
  if (parts.empty()) return iterations;
  const double all = cycles_of(compute);
  std::size_t next = 0;
  for (const TrafficPart& part : parts) {
    iterations.push_back(part.iterations);
    cycles.push_back(0);
    const std::size_t end = std::min(next + part.branches, compute.size());
    for (; next < end; ++next) cycles.back() += compute[next].cycles() / all;
  }
  return next == compute.size() ? cycles : iterations;
}

/// Returns the bytes and seconds of the traffic on the link into cache `at`, while the busiest core
/// computes for `compute_seconds`.
LinkTime time_of(const ResolvedSchedule& resolved, std::size_t at, const FilledCache& filled,
                 double compute_seconds) {
  const CacheLevel& level = resolved.machine.caches[at];
  LinkTime result{.level = {.name = level.name}};
  const double share = link_share(resolved.cores, resolved.machine, at);
  const bool exposes_stores = resolved.exposes_stores();
  std::vector<TensorStream> streams;
  for (const Flow& flow : flows_of(resolved, at, filled)) {
    Link link = flow.link;
    if (exposes_stores) {
      result.exposed_seconds +=
          share * flow.slowness * streamed_seconds(resolved.machine, link.streamed);
      link.streamed = 0;
    }
    const double seconds = share * flow.slowness * link.seconds(resolved.machine, level);
    result.level.bytes += flow.link.bytes();
    result.level.seconds += seconds;
    if (flow.prefetched)
      result.prefetched_bytes += flow.link.reads;
    else if (!flow.early)
      result.unprefetched_seconds += seconds;
    streams.push_back({.seconds = seconds, .share = flow.share, .of_parts = flow.of_parts});
  }
  result.level.burst_seconds = partial_overlap_seconds(
      streams, filled.compute_shares, compute_seconds, resolved.machine.rates.overlap_exponent);
  return result;
}

/// Returns the traffic of cache `at` for each share of its capacity over which predictions take the
/// mean. If the least share holds all tensors, the larger ones do so too, and the result has the
/// least one only.
std::vector<FilledCache> filled_caches(const ResolvedSchedule& resolved, std::size_t at,
                                       const std::vector<BranchCompute>& compute) {
  std::vector<FilledCache> all;
  for (const double share : occupancies(resolved.machine, at)) {
    const double bytes = share * usable_bytes(resolved.machine.caches[at]);
    if (!all.empty() && is_filled_equally(resolved, at, all.back(), bytes)) {
      all.push_back(all.back());
      continue;
    }
    all.push_back(filled_cache(resolved, at, bytes));
    all.back().compute_shares = compute_shares(all.back().traffic.flat.parts, compute);
    if (all.front().holds_all) break;
  }
  return all;
}

LinkTime link_time(const ResolvedSchedule& resolved, std::size_t at,
                   const std::vector<FilledCache>& fills, double compute_seconds) {
  LinkTime mean{.level = {.name = resolved.machine.caches[at].name}};
  for (const FilledCache& filled : fills)
    mean.add(time_of(resolved, at, filled, compute_seconds),
             1.0 / static_cast<double>(fills.size()));
  return mean;
}

/// Returns the seconds of the prefetches by `ahead` on the busiest core. They cost time only if
/// there is a third level, the bandwidth of the link into the second level is known, and its data
/// fill at most the share kFilled of the third level. A line costs Overheads::prefetch_cycles while
/// computing takes no longer than the link. The cost falls to 0 where computing takes twice as
/// long.
double prefetching_seconds(const ResolvedSchedule& resolved,
                           const std::vector<BranchCompute>& compute, const LinkTime& link) {
  const Machine& machine = resolved.machine;
  const std::vector<CacheLevel>& caches = machine.caches;
  const double share = resolved.cores.busiest_share;
  const double working = share * cycles_of(compute) / machine.clock.hertz;
  if (caches.size() < 3 || link.level.seconds <= 0 ||
      link.level.bytes > kFilled * usable_bytes(caches[2]))
    return 0;
  const double lines = link.prefetched_bytes / static_cast<double>(caches[1].line_bytes);
  const double price = std::clamp(2 - working / link.level.seconds, 0.0, 1.0);
  return share * machine.rates.overheads.prefetch_cycles * price * lines / machine.clock.hertz;
}

std::string bottleneck_of(const Prediction& prediction) {
  std::vector<std::pair<double, std::string>> parts{{prediction.compute_seconds, "compute"}};
  for (const auto& level : prediction.levels) parts.emplace_back(level.seconds, level.name);
  parts.emplace_back(prediction.unhidden.packing, "packing");
  parts.emplace_back(prediction.unhidden.repack, "repack");
  return std::ranges::max_element(parts, {}, &std::pair<double, std::string>::first)->second;
}

}  // namespace

std::span<const double> occupancies(const Machine& machine, std::size_t at) {
  static constexpr double kWhole[] = {1}, kLastCache[] = {0.75, 1, 1.25};
  const bool is_last = at > 0 && at + 1 == machine.caches.size();
  return is_last ? std::span<const double>(kLastCache) : std::span<const double>(kWhole);
}

double start_seconds(const Machine& machine, int cores) {
  const Overheads& overheads = machine.rates.overheads;
  return overheads.start_cycles / machine.clock.hertz + (cores > 1 ? overheads.fork_seconds : 0);
}

double overlap_times(double compute_seconds, const std::vector<double>& level_seconds,
                     double exponent) {
  // Times are divided by the largest one, because the powers of small times would underflow.
  double largest = compute_seconds;
  for (const double seconds : level_seconds) largest = std::max(largest, seconds);
  if (largest <= 0) return 0;
  double sum = std::pow(compute_seconds / largest, exponent);
  for (const double seconds : level_seconds) sum += std::pow(seconds / largest, exponent);
  return largest * std::pow(sum, 1 / exponent);
}

struct NestPredictor::Shared {
  ResolvedSchedule resolved;
  std::vector<BranchCompute> compute = {};
  std::vector<std::vector<FilledCache>> caches = {};  ///< Holds filled_caches() of each cache.
  Prediction parts = {};  ///< Has all parts that prefetches and non-temporal stores do not change.
  /// Gives the sum of returned_rows_seconds() and split_stores_seconds(). Nothing hides this time,
  /// and prefetches do not change it.
  double rows_and_stores_seconds = 0;
};

NestPredictor::NestPredictor(const Computation& computation, const Nest& nest, const Marks& marks,
                             const Machine& machine, const PredictionRules& rules)
    : shared_(new Shared{.resolved = {computation, nest, marks, machine, rules}}) {
  const ResolvedSchedule& resolved = shared_->resolved;
  const double share = resolved.cores.busiest_share;
  shared_->compute = compute_of(computation, nest, resolved.read, machine);
  for (std::size_t at = 0; at < machine.caches.size(); ++at)
    shared_->caches.push_back(filled_caches(resolved, at, shared_->compute));
  shared_->rows_and_stores_seconds =
      returned_rows_seconds(resolved) + split_stores_seconds(resolved, shared_->compute);
  Prediction& parts = shared_->parts;
  parts.reduction_steps = mean_steps(shared_->compute);
  parts.compute_seconds = share * cycles_of(shared_->compute) / machine.clock.hertz;
  parts.unhidden.packing = share * packing_seconds(resolved);
  parts.unhidden.fork = start_seconds(machine, resolved.cores.used);
}

NestPredictor::~NestPredictor() = default;

Prediction NestPredictor::with(const Marks& marks) {
  shared_->resolved.marks = marks;
  const ResolvedSchedule& resolved = shared_->resolved;
  const MeasuredRates& rates = resolved.machine.rates;
  Prediction prediction = shared_->parts;
  std::vector<double> level_seconds;
  // Gives the seconds of the links into the second level and all further levels, without operands
  // that are prefetched.
  double beyond = 0;
  for (std::size_t at = 0; at < shared_->caches.size(); ++at) {
    const LinkTime link = link_time(resolved, at, shared_->caches[at], prediction.compute_seconds);
    prediction.levels.push_back(link.level);
    level_seconds.push_back(link.level.burst_seconds);
    if (at > 0) beyond += link.unprefetched_seconds;
    prediction.unhidden.exposed += link.exposed_seconds;
    if (at == 1)
      prediction.unhidden.prefetching = prefetching_seconds(resolved, shared_->compute, link);
  }
  prediction.unhidden.repack =
      repack(resolved.computation, marks, resolved.nest, resolved.machine, resolved.cores.used)
          .seconds();
  prediction.unhidden.exposed +=
      rates.overheads.exposed_share * std::min(beyond, prediction.compute_seconds) +
      resolved.cores.busiest_share *
          (apart_rows_seconds(resolved) + shared_->rows_and_stores_seconds);
  prediction.seconds =
      overlap_times(prediction.compute_seconds, level_seconds, rates.overlap_exponent) +
      prediction.unhidden.sum();
  prediction.bottleneck = bottleneck_of(prediction);
  return prediction;
}

Prediction predict_nest(const Computation& computation, const Nest& nest, const Marks& marks,
                        const Machine& machine, const PredictionRules& rules) {
  return NestPredictor(computation, nest, marks, machine, rules).with(marks);
}

bool holds_arrays(const Computation& computation, const Schedule& schedule, const Machine& machine,
                  const CacheLevel& cache, const PredictionRules& rules) {
  const Nest nest = resolve(schedule, computation, machine.vector.lanes);
  return ResolvedSchedule{computation, nest, schedule, machine, rules}.stays_in(
      cache, usable_bytes(cache));
}

CacheTraffic cache_traffic(const Computation& computation, const Schedule& schedule,
                           const Machine& machine, std::size_t at, const PredictionRules& rules) {
  const Nest nest = resolve(schedule, computation, machine.vector.lanes);
  const ResolvedSchedule resolved{computation, nest, schedule, machine, rules};
  CacheTraffic traffic = traffic_of(resolved, at, usable_bytes(machine.caches[at]));
  if (resolved.is_prefetched(at, Operand::input)) traffic.input_slowness = 1;
  return traffic;
}

double bound_bytes(const Computation& computation, const Machine& machine) {
  if (machine.caches.empty()) return 0;
  const double held = held_units(machine, machine.caches.size() - 1, std::max(machine.cores, 1),
                                 computation.unit_bytes());
  return lower_bound(computation, held).bytes;
}

Prediction predict(const Computation& computation, const Schedule& schedule, const Machine& machine,
                   const PredictionRules& rules) {
  const Nest nest = resolve(schedule, computation, machine.vector.lanes);
  Prediction prediction = predict_nest(computation, nest, schedule, machine, rules);
  prediction.bound_bytes = bound_bytes(computation, machine);
  return prediction;
}

}  // namespace tileplan
