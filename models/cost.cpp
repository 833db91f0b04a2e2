// SPDX-License-Identifier: Apache-2.0
// This file predicts the time of one nest by eq. (M) and (T) of models/README.md.
#include "cost.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "bounds.h"
#include "branches.h"
#include "capacity.h"
#include "compute.h"
#include "conflicts.h"
#include "footprint.h"
#include "integers.h"
#include "link_flows.h"
#include "partial_overlap.h"
#include "short_rows.h"

namespace tileplan {
namespace {

/// Overheads::packed_row_cycles are for a row of kMeasuredRow pixels. A share of them passes in any
/// row, and the rest grows with the row. The values were measured on two machines
/// (docs/experiments.md).
constexpr double kShareOfAnyRow = 0.4, kMeasuredRow = 64;

/// Returns the cycles that packing takes per element of a row of `pixels` adjacent pixels, eq. (R).
double row_cycles(double pixels, const Overheads& overheads) {
  return overheads.packed_row_cycles *
         (kShareOfAnyRow / pixels + (1 - kShareOfAnyRow) / kMeasuredRow);
}

/// Returns the cycles that packing takes per element, eq. (R). A row runs along the vectorised
/// pixels or along the first reduction dimension of the input.
double packing_cycles(const ResolvedSchedule& resolved, const Tile& box) {
  const bool of_pixels = resolved.computation.role(resolved.nest.vectorised) == Role::pixel;
  const auto is_along = [&](Dim dim) {
    return of_pixels ? dim == resolved.nest.vectorised
                     : resolved.computation.role(dim) == Role::reduction;
  };
  const auto& data = resolved.computation.tensor(Operand::input).data;
  const Overheads& overheads = resolved.machine.rates.overheads;
  for (std::size_t a = 0; a < data.size(); ++a)
    for (const Term& term : data[a].terms) {
      if (!is_along(term.dim)) continue;
      const double row = overheads.packed_row_cycles / static_cast<double>(card(data[a], box));
      if (resolved.input.axes[a].offset(term.coefficient) == 1)
        return of_pixels ? row_cycles(static_cast<double>(card(data[a], box)), overheads) : row;
      return std::max(row,
                      of_pixels ? overheads.packed_pixel_cycles : overheads.packed_channel_cycles);
    }
  return 0;
}

/// Returns the cycles that packing takes per weight, eq. (R). A row has the weights of one register
/// tile and one reduction step.
double weights_packing_cycles(const ResolvedSchedule& resolved, const Nest& branch) {
  const Computation& computation = resolved.computation;
  const Dim channel = weights_dim(computation, branch.vectorised);
  const auto& data = computation.tensor(Operand::weights).data;
  const TensorLayout plain = layout_of(computation, Operand::weights, Layout::plain);
  const Overheads& overheads = resolved.machine.rates.overheads;
  const double row = overheads.packed_row_cycles /
                     static_cast<double>(std::max<std::int64_t>(1, branch.base[channel]));
  for (std::size_t a = 0; a < data.size(); ++a)
    if (plain.axes[a].offset(coefficient_of(data[a], channel)) == 1) return row;
  return std::max(row, overheads.packed_channel_cycles);
}

/// Returns the cycles that packing takes per output, eq. (R). A row runs along the vectorised
/// dimension.
double output_packing_cycles(const ResolvedSchedule& resolved, const Tile& box) {
  return resolved.machine.rates.overheads.packed_row_cycles /
         static_cast<double>(std::max<std::int64_t>(1, box[resolved.nest.vectorised]));
}

/// Returns the cycles that packing takes per element of `operand`.
double packing_cycles(const ResolvedSchedule& resolved, Operand operand, const Nest& branch,
                      const Tile& box) {
  if (operand == Operand::weights) return weights_packing_cycles(resolved, branch);
  return operand == Operand::input ? packing_cycles(resolved, box)
                                   : output_packing_cycles(resolved, box);
}

/// Returns the seconds by which packing of one operand takes longer than its traffic.
double packing_seconds(const ResolvedSchedule& resolved, Operand operand) {
  const Machine& machine = resolved.machine;
  const std::size_t outside = loops_around_box(resolved.marks, resolved.nest, operand);
  const Nest branch = branches_of(resolved.nest, outside).front().nest;
  const double cycles = packing_cycles(resolved, operand, branch, box_inside(branch, outside));
  // Rows outside the array are neither copied nor read.
  const double copied = operand == Operand::input ? stored_share(resolved.computation) : 1;
  const double copying = copied * cycles * packed_elements(resolved, operand) / machine.clock.hertz;
  return std::max(
      0.0, copying - packing_link(resolved, operand).seconds(machine, machine.caches.front()));
}

double packing_seconds(const ResolvedSchedule& resolved) {
  if (resolved.machine.caches.empty()) return 0;
  return (resolved.marks.pack_input ? packing_seconds(resolved, Operand::input) : 0) +
         (resolved.marks.pack_weights ? packing_seconds(resolved, Operand::weights) : 0) +
         (resolved.marks.pack_output ? packing_seconds(resolved, Operand::output) : 0);
}

/// Give the cycles for a row of weights that a register tile reads in place from the second cache
/// because all rows share few sets of the first cache: without prefetches, and with prefetches. The
/// values were measured on one machine (docs/experiments.md).
constexpr double kCyclesPerRow = 1.5, kCyclesPerPrefetchedRow = 1;
/// Give the additional cycles per page when a call touches more pages than a TLB has entries: for
/// rows of at most kShortRowLines lines in the first TLB, and for all rows in the second TLB. First
/// TLBs have 64 to 96 entries and second ones 1536 to 3072 since 2015 (the vendors' optimization
/// manuals); other data occupy a part of them.
constexpr double kCyclesPerShortRow = 2.5, kCyclesPerWalk = 8;
constexpr std::int64_t kShortRowLines = 3;
constexpr double kFirstTlb = 64, kSecondTlb = 1024;
/// Gives the cycles per cache line that a call prefetches beyond its last row.
constexpr double kCyclesPerLineBeyond = 2;
/// Gives the additional cycles of a prefetched row that the second cache evicts too. Rows without
/// prefetches take Overheads::apart_row_cycles instead.
constexpr double kCyclesPerEvictedPrefetch = 6;

/// Returns the share of the sets of the first cache that no row of the weights in `call` uses.
double unused_sets(const ResolvedSchedule& resolved, const Tile& call) {
  const CacheLevel& l1 = resolved.machine.caches.front();
  const TensorAccess& weights = resolved.computation.tensor(Operand::weights);
  const std::int64_t sets = sets_of(l1);
  const auto loads =
      lines_in_sets(weights, *resolved.rows, call, l1.line_bytes / weights.element_bytes(), sets);
  return static_cast<double>(std::ranges::count(loads, 0)) / static_cast<double>(sets);
}

/// Returns the number of cache lines of a row of `row` weights.
std::int64_t lines_of(const ResolvedSchedule& resolved, std::int64_t row) {
  return ceil_div(row * resolved.computation.tensor(Operand::weights).element_bytes(),
                  resolved.machine.caches.front().line_bytes);
}

/// Returns the cycles that one row of `call` waits for the translation of its address. Rows in one
/// page share these cycles.
double translation_cycles(const ResolvedSchedule& resolved, const Tile& call, std::int64_t row) {
  const TensorAccess& weights = resolved.computation.tensor(Operand::weights);
  const double rows = static_cast<double>(footprint(weights, call)) / static_cast<double>(row);
  const double pages = pages_of_weights(resolved.computation, *resolved.rows, call);
  const bool is_short = lines_of(resolved, row) <= kShortRowLines && resolved.marks.prefetch == 0;
  return pages / rows *
         ((is_short && pages > kFirstTlb ? kCyclesPerShortRow : 0) +
          (pages > kSecondTlb ? kCyclesPerWalk : 0));
}

/// Returns the cycles that one row of `call` takes when all rows share one set of the first cache.
/// A row consists of `row` weights.
double cycles_per_row(const ResolvedSchedule& resolved, const Tile& call, std::int64_t row) {
  const std::vector<CacheLevel>& caches = resolved.machine.caches;
  const TensorAccess& weights = resolved.computation.tensor(Operand::weights);
  const double evicted =
      caches.size() < 2 ? 1 : evicted_share(resolved.computation, *resolved.rows, call, caches[1]);
  if (resolved.marks.prefetch == 0)
    return kCyclesPerRow + evicted * resolved.machine.rates.overheads.apart_row_cycles;
  const std::int64_t rows = footprint(weights, call) / row;
  const auto beyond = static_cast<double>(resolved.marks.prefetch * lines_of(resolved, row));
  return kCyclesPerPrefetchedRow + kCyclesPerLineBeyond * beyond / static_cast<double>(rows) +
         evicted * kCyclesPerEvictedPrefetch;
}

/// Returns the additional time for reading weights in place instead of packed ones, eq. (I).
double apart_rows_seconds(const ResolvedSchedule& resolved) {
  const Machine& machine = resolved.machine;
  const Dim channel = weights_dim(resolved.computation, resolved.nest.vectorised);
  if (!resolved.rows || machine.caches.empty() || channel != resolved.nest.vectorised) return 0;
  const CacheLevel& l1 = machine.caches.front();
  const CacheTraffic traffic = traffic_of(resolved, 0, usable_bytes(l1));
  const double elements =
      volumes_of_all(resolved.computation, view_of(resolved.cores, l1), traffic.flat.volumes,
                     box_inside(resolved.nest, 0))[Operand::weights];
  const Nest branch = branches_of(resolved.nest).front().nest;
  const Tile call = box_inside(branch, microkernel_begin(resolved.computation, branch));
  const std::int64_t row = branch.base[channel];
  const double rows = elements / static_cast<double>(row);
  const double cycles = translation_cycles(resolved, call, row) +
                        cycles_per_row(resolved, call, row) * unused_sets(resolved, call);
  return rows * cycles / machine.clock.hertz;
}

/// A vector of outputs that lies in two cache lines takes these cycles more to store. The value was
/// measured on one machine (docs/experiments.md).
constexpr double kCyclesPerSplitStore = 1.5;

/// Returns the time by which stores take longer because their vectors lie in two cache lines.
/// Packed outputs are stored in whole lines.
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

/// Gives the share of a third level above which prefetches count as free: data that fill more come
/// partly from memory, so that prefetching pays. The value was chosen, not fitted.
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

/// Returns the bytes and seconds of `flows` on the link into cache `at`, while the core computes
/// for `compute` seconds.
LinkTime time_of(const ResolvedSchedule& resolved, std::size_t at, const std::vector<Flow>& flows,
                 double compute) {
  const CacheLevel& level = resolved.machine.caches[at];
  LinkTime result{.level = {.name = level.name}};
  const double share = link_share(resolved.cores, resolved.machine, at);
  std::vector<TensorStream> streams;
  for (const Flow& flow : flows) {
    Link link = flow.link;
    if (resolved.exposes_stores) {
      result.exposed_seconds += share * streamed_seconds(resolved.machine, link.streamed);
      link.streamed = 0;
    }
    const double seconds = share * flow.slowness * link.seconds(resolved.machine, level);
    result.level.bytes += flow.link.bytes();
    result.level.seconds += seconds;
    if (flow.prefetched)
      result.prefetched_bytes += flow.link.reads;
    else
      result.unprefetched_seconds += seconds;
    streams.push_back({.seconds = seconds, .share = flow.share});
  }
  result.level.burst_seconds =
      partial_overlap_seconds(streams, compute, resolved.machine.rates.overlap_exponent);
  return result;
}

LinkTime link_time(const ResolvedSchedule& resolved, std::size_t at, double compute) {
  const CacheLevel& level = resolved.machine.caches[at];
  const auto with = [&](double share) {
    const std::vector<Flow> flows = flows_of(resolved, at, share * usable_bytes(level));
    return time_of(resolved, at, flows, compute);
  };
  const std::span<const double> shares = occupancies(resolved.machine, at);
  const double least = shares.front();
  if (shares.size() == 1 || resolved.stays_in(level, least * usable_bytes(level)))
    return with(least);
  LinkTime mean{.level = {.name = level.name}};
  for (const double share : shares) mean.add(with(share), 1.0 / static_cast<double>(shares.size()));
  return mean;
}

/// Returns the seconds of prefetches on the busiest core. Prefetches cost time only if the link
/// into the second level takes longer than computation, and if the data of this link fill at most
/// kFilled of a third level.
double prefetching_seconds(const ResolvedSchedule& resolved,
                           const std::vector<BranchCompute>& compute, const LinkTime& link) {
  const Machine& machine = resolved.machine;
  const std::vector<CacheLevel>& caches = machine.caches;
  const double share = resolved.cores.busiest_share;
  const double working = share * cycles_of(compute) / machine.clock.hertz;
  if (caches.size() < 3 || link.level.seconds <= working ||
      link.level.bytes > kFilled * usable_bytes(caches[2]))
    return 0;
  const std::int64_t line =
      caches[0].line_bytes / resolved.computation.tensor(Operand::weights).element_bytes();
  const double before_loads =
      resolved.marks.prefetch > 0 ? weight_lines(compute, machine.vector.lanes, line) : 0;
  const double lines =
      before_loads + link.prefetched_bytes / static_cast<double>(caches[1].line_bytes);
  const double waiting = 1 - working / link.level.seconds;
  return share * waiting * machine.rates.overheads.prefetch_cycles * lines / machine.clock.hertz;
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

Prediction predict_nest(const Computation& computation, const Nest& nest, const Marks& marks,
                        const Machine& machine, const PredictionRules& rules) {
  const ResolvedSchedule resolved{computation, nest, marks, machine, rules};
  const Overheads& overheads = machine.rates.overheads;
  const double share = resolved.cores.busiest_share;
  Prediction prediction;
  const std::vector<BranchCompute> compute = compute_of(computation, nest, resolved.read, machine);
  prediction.reduction_steps = mean_steps(compute);
  prediction.compute_seconds = share * cycles_of(compute) / machine.clock.hertz;
  std::vector<double> level_seconds;
  // Gives the seconds of the links into the second level and all further levels.
  double beyond = 0;
  for (std::size_t at = 0; at < machine.caches.size(); ++at) {
    const LinkTime link = link_time(resolved, at, prediction.compute_seconds);
    prediction.levels.push_back(link.level);
    level_seconds.push_back(link.level.burst_seconds);
    if (at > 0) beyond += link.unprefetched_seconds;
    prediction.unhidden.exposed += link.exposed_seconds;
    if (at == 1) prediction.unhidden.prefetching = prefetching_seconds(resolved, compute, link);
  }
  prediction.unhidden.exposed +=
      overheads.exposed_share * std::min(beyond, prediction.compute_seconds) +
      share * (apart_rows_seconds(resolved) + split_stores_seconds(resolved, compute));
  prediction.unhidden.packing = share * packing_seconds(resolved);
  prediction.unhidden.repack =
      repack(computation, marks, nest, machine, resolved.cores.used).seconds();
  prediction.unhidden.fork = start_seconds(machine, resolved.cores.used);
  prediction.seconds =
      overlap_times(prediction.compute_seconds, level_seconds, machine.rates.overlap_exponent) +
      prediction.unhidden.sum();
  prediction.bottleneck = bottleneck_of(prediction);
  return prediction;
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
  return traffic_of({computation, nest, schedule, machine, rules}, at,
                    usable_bytes(machine.caches[at]));
}

double bound_bytes(const Computation& computation, const Machine& machine) {
  if (machine.caches.empty()) return 0;
  const double held = held_elements(machine, machine.caches.size() - 1, std::max(machine.cores, 1));
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
