// SPDX-License-Identifier: Apache-2.0
// This file predicts the time of one nest by eq. (M) and (T) of models/README.md.
#include "cost.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "bounds.h"
#include "branches.h"
#include "compute.h"
#include "conflicts.h"
#include "cores.h"
#include "footprint.h"
#include "link.h"
#include "next_tile_prefetch.h"
#include "partial_overlap.h"
#include "reduction.h"
#include "repack.h"
#include "short_rows.h"

namespace tileplan {
namespace {

/// Starting and joining an OpenMP team whose threads spin takes this time (docs/experiments.md).
constexpr double kForkSeconds = 0.9e-6;

/// Counts the bytes on the link that fills one level.
struct Link {
  double reads = 0, writes = 0;

  double seconds(const CacheLevel& level) const { return link_seconds(level, reads, writes); }
};

/// Holds a schedule with the values that the predictions of all its levels read.
struct ResolvedSchedule {
  const Computation& computation;
  const Nest& nest;
  const Marks& marks;
  const Machine& machine;
  Capacity capacity;
  TensorLayout input = in_loops(Operand::input), output = in_loops(Operand::output);
  TensorLayout read = read_layout(computation, marks, nest);
  Cores cores = cores_of(computation, nest, machine.cores);
  /// Padding is not loaded, but packed boxes contain its zeros.
  double input_loaded = marks.pack_input ? 1 : stored_share(computation);

  TensorLayout in_loops(Operand operand) const {
    return layout_of(computation, operand, layout_in_loops(computation, marks, nest, operand));
  }

  double bytes_of(Operand operand, double elements) const {
    return static_cast<double>(computation.tensor(operand).element_bytes()) * elements;
  }

  /// Returns the number of bytes that the iterations of `part` touch. Activations count with the
  /// padding of their channel blocks.
  double touched_bytes(const Nest& part) const {
    const Tile touched = box_inside(part, 0), whole = box_inside(nest, 0);
    const auto elements = [&](Operand operand, const Tile& box) {
      return static_cast<double>(footprint(computation.tensor(operand), box));
    };
    const auto stored_bytes = [&](Operand operand, std::int64_t stored) {
      return bytes_of(operand, static_cast<double>(stored) * elements(operand, touched) /
                                   elements(operand, whole));
    };
    return stored_bytes(Operand::input, input.elements) +
           bytes_of(Operand::weights, elements(Operand::weights, touched)) +
           stored_bytes(Operand::output, output.elements);
  }

  bool holds_arrays(const CacheLevel& cache) const {
    return touched_bytes(view_of(cores, cache).nest) <= usable_bytes(cache);
  }

  /// Returns true when `ahead` prefetches the operand into cache `at`.
  bool is_prefetched(std::size_t at, Operand operand) const {
    return at > 0 && marks.ahead && next_tile_operand(computation, nest, *marks.ahead) == operand;
  }
};

/// Returns the bytes of whole cache lines divided by the elements of the box. A part of the box may
/// lie outside the tensor.
double bytes_per_element(const TensorAccess& tensor, const TensorLayout& layout, const Tile& box,
                         double line_bytes) {
  const auto element_bytes = static_cast<double>(tensor.element_bytes());
  const double bytes = lines(tensor, layout, box, line_bytes / element_bytes) * line_bytes /
                       static_cast<double>(footprint(tensor, box));
  return std::max(bytes, element_bytes);
}

/// Returns the number of elements that packing copies. The box of the input is copied each time the
/// loop around it advances.
double packed_elements(const ResolvedSchedule& resolved) {
  const std::size_t inside = loops_around_box(resolved.marks, resolved.nest);
  double elements = 0;
  for (const Branch& branch : branches_of(resolved.nest, inside)) {
    const Tile box = box_inside(branch.nest, inside);
    auto copies = static_cast<double>(footprint(resolved.computation.tensor(Operand::input), box));
    for (std::size_t i = 0; i < inside; ++i)
      copies *= static_cast<double>(branch.nest.loops[i].trips);
    elements += copies;
  }
  // Each core copies the whole box although its own iterations read only a part of it.
  for (std::size_t i = inside; i < resolved.nest.loops.size(); ++i)
    if (resolved.nest.loops[i].parallel)
      elements *= static_cast<double>(resolved.nest.loops[i].blocks()) /
                  static_cast<double>(resolved.cores.own.nest.loops[i].blocks());
  return elements;
}

/// Holds a part of the traffic of one link. It streams during `share` of the execution.
struct Flow {
  Link link;
  double share = 1;
  double slowness = 1;      ///< Short rows multiply the time of the link by this.
  bool prefetched = false;  ///< The mark `ahead` prefetches this operand.
};

CacheTraffic traffic_of(const ResolvedSchedule& resolved, std::size_t at) {
  const CacheLevel& level = resolved.machine.caches[at];
  const std::int64_t element_bytes = resolved.computation.element_bytes();
  const Storage storage = storage_in(level, at == 0, resolved.read, resolved.output);
  CacheTraffic traffic;
  traffic.flat = flat_traffic(resolved.computation, view_of(resolved.cores, level).nest,
                              static_cast<std::int64_t>(usable_elements(level, element_bytes)),
                              rule_for(resolved.capacity, level, element_bytes), &storage);
  traffic.in_box = within_box(traffic.flat, resolved.marks, resolved.nest);
  if (!resolved.is_prefetched(at, Operand::input))
    traffic.input_slowness =
        short_row_penalty(resolved.computation.tensor(Operand::input), resolved.read,
                          traffic.in_box, resolved.machine.caches, at);
  return traffic;
}

/// Returns the traffic of the flat model with cold caches, per tensor: eq. (M), (B).
std::vector<Flow> flat_flows(const ResolvedSchedule& resolved, std::size_t at) {
  const CacheLevel& level = resolved.machine.caches[at];
  const NestView& view = view_of(resolved.cores, level);
  const auto& tensors = resolved.computation.tensors;
  const auto line_bytes = static_cast<double>(level.line_bytes);
  const auto [traffic, in_box, input_slowness] = traffic_of(resolved, at);
  const double input_bytes =
      bytes_per_element(tensors[0], resolved.read, in_box.walked[Operand::input], line_bytes);
  const double output_bytes =
      bytes_per_element(tensors[2], resolved.output, traffic.walked[Operand::output], line_bytes);
  const Tile whole = box_inside(resolved.nest, 0);
  PerTensor<double> volumes = volumes_of_all(resolved.computation, view, traffic.volumes, whole);
  volumes[Operand::input] *= resolved.input_loaded;
  volumes[Operand::weights] *= weights_share(resolved.computation, resolved.nest.vectorised,
                                             traffic.walked[Operand::weights]);
  // Non-temporal stores bypass this link, and their lines are not read for ownership.
  const auto last_visit =
      static_cast<double>(resolved.marks.nontemporal ? footprint(tensors[2], whole) : 0);
  const double output = (volumes[Operand::output] - last_visit) * output_bytes;
  std::vector<Flow> flows = {
      {.link = {.reads = volumes[Operand::input] * input_bytes}, .slowness = input_slowness},
      {.link = {.reads = resolved.bytes_of(Operand::weights, volumes[Operand::weights])}},
      {.link = {.reads = output, .writes = output}}};
  for (std::size_t t = 0; t < flows.size(); ++t) {
    flows[t].prefetched = resolved.is_prefetched(at, static_cast<Operand>(t));
    if (!flows[t].prefetched)
      flows[t].share = streaming_share(resolved.computation, view.nest, tensors[t], traffic.cut);
  }
  return flows;
}

/// Returns the extra traffic of the innermost level. Cache lines of overflowing sets are loaded
/// again, or packing reads source and destination and writes the destination back.
Link innermost_extra(const ResolvedSchedule& resolved) {
  if (resolved.marks.pack_input) {
    const double bytes = resolved.bytes_of(Operand::input, packed_elements(resolved));
    return {.reads = 2 * bytes, .writes = bytes};
  }
  const CacheLevel& l1 = resolved.machine.caches.front();
  return {.reads = conflict_lines(resolved.computation, resolved.nest, resolved.input, l1) *
                   static_cast<double>(l1.line_bytes)};
}

/// Packing takes these cycles per contiguous row, per pixel of a row whose pixels are not
/// contiguous in the input, and per channel of a row whose channels are not. The values were
/// measured on two machines (docs/experiments.md).
constexpr double kCyclesPerRow = 50;
constexpr double kCyclesPerPixel = 1;
constexpr double kCyclesPerChannel = 3;

/// Returns the cycles that packing takes per element, eq. (R). A row runs along the vectorised
/// pixels or along the first reduction dim of the input, and has a fixed cost. Elements that are
/// not contiguous in the input take their own cycles if these are more.
double packing_cycles(const ResolvedSchedule& resolved, const Tile& box) {
  const bool of_pixels = resolved.computation.role(resolved.nest.vectorised) == Role::pixel;
  const auto is_along = [&](Dim dim) {
    return of_pixels ? dim == resolved.nest.vectorised
                     : resolved.computation.role(dim) == Role::reduction;
  };
  const auto& data = resolved.computation.tensor(Operand::input).data;
  for (std::size_t a = 0; a < data.size(); ++a)
    for (const Term& term : data[a].terms) {
      if (!is_along(term.dim)) continue;
      const double row = kCyclesPerRow / static_cast<double>(card(data[a], box));
      if (resolved.input.axes[a].offset(term.coefficient) == 1) return row;
      return std::max(row, of_pixels ? kCyclesPerPixel : kCyclesPerChannel);
    }
  return 0;
}

/// Returns the time by which packing exceeds the time of its traffic, in seconds.
double packing_seconds(const ResolvedSchedule& resolved) {
  const Machine& machine = resolved.machine;
  if (!resolved.marks.pack_input || machine.caches.empty()) return 0;
  const std::size_t outside = loops_around_box(resolved.marks, resolved.nest);
  const Tile box = box_inside(branches_of(resolved.nest, outside).front().nest, outside);
  const double copying =
      packing_cycles(resolved, box) * packed_elements(resolved) / machine.clock.hertz;
  return std::max(0.0, copying - innermost_extra(resolved).seconds(machine.caches.front()));
}

std::vector<Flow> flows_of(const ResolvedSchedule& resolved, std::size_t at) {
  const std::vector<CacheLevel>& caches = resolved.machine.caches;
  std::vector<Flow> flows;
  if (!resolved.holds_arrays(caches[at])) flows = flat_flows(resolved, at);
  // Nothing is computed while the input is packed.
  if (at == 0)
    flows.push_back(
        {.link = innermost_extra(resolved), .share = resolved.marks.pack_input ? 0.0 : 1.0});
  // Non-temporal stores reach memory even when the caches hold the output.
  const auto stored = static_cast<double>(resolved.output.elements);
  if (at + 1 == caches.size() && resolved.marks.nontemporal)
    flows.push_back({.link = {.writes = resolved.bytes_of(Operand::output, stored)}});
  return flows;
}

/// Computation and the traffic from beyond the second level do not overlap for this share of the
/// shorter of the two times, eq. (E).
constexpr double kExposedShare = 0.1;

/// A prefetch of a cache line from the third level takes these cycles while a core waits for that
/// link alone, eq. (Q). The value was measured on one machine (docs/experiments.md).
constexpr double kCyclesPerPrefetch = 0.5;

/// Data that fill more than this share of a shared third level come partly from memory, and
/// prefetching pays. The value was chosen, not fitted.
constexpr double kFilled = 0.25;

struct LinkTime {
  LevelPrediction level;
  double unprefetched_seconds = 0;
  double prefetched_bytes = 0;
};

/// Returns the bytes and seconds of a link when the busiest core has `core_share` of the traffic.
LinkTime link_time(const CacheLevel& level, const std::vector<Flow>& flows, double core_share,
                   double compute, double exponent) {
  LinkTime result{.level = {.name = level.name}};
  std::vector<TensorStream> streams;
  for (const Flow& flow : flows) {
    const double seconds = core_share * flow.slowness * flow.link.seconds(level);
    result.level.bytes += flow.link.reads + flow.link.writes;
    result.level.seconds += seconds;
    if (flow.prefetched)
      result.prefetched_bytes += flow.link.reads;
    else
      result.unprefetched_seconds += seconds;
    streams.push_back({.seconds = seconds, .share = flow.share});
  }
  result.level.burst_seconds = partial_overlap_seconds(streams, compute, exponent);
  return result;
}

/// Returns the time of prefetches on the busiest core, in seconds. This time counts only where a
/// third level holds all data that `link` loads into the second level.
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
  return share * waiting * kCyclesPerPrefetch * lines / machine.clock.hertz;
}

std::string bottleneck_of(const Prediction& prediction) {
  std::vector<std::pair<double, std::string>> parts{{prediction.compute_seconds, "compute"}};
  for (const auto& level : prediction.levels) parts.emplace_back(level.seconds, level.name);
  parts.emplace_back(prediction.unhidden.packing, "packing");
  parts.emplace_back(prediction.unhidden.repack, "repack");
  return std::ranges::max_element(parts, {}, &std::pair<double, std::string>::first)->second;
}

}  // namespace

double overlap_times(double compute_seconds, const std::vector<double>& level_seconds,
                     double exponent) {
  // Terms are relative to the largest one so that small times do not vanish in the power.
  double largest = compute_seconds;
  for (const double seconds : level_seconds) largest = std::max(largest, seconds);
  if (largest <= 0) return 0;
  double sum = std::pow(compute_seconds / largest, exponent);
  for (const double seconds : level_seconds) sum += std::pow(seconds / largest, exponent);
  return largest * std::pow(sum, 1 / exponent);
}

Prediction predict_nest(const Computation& computation, const Nest& nest, const Marks& marks,
                        const Machine& machine, Capacity capacity) {
  const ResolvedSchedule resolved{computation, nest, marks, machine, capacity};
  const double share = resolved.cores.busiest_share;
  Prediction prediction;
  const std::vector<BranchCompute> compute = compute_of(computation, nest, resolved.read, machine);
  prediction.reduction_steps = mean_steps(compute);
  prediction.compute_seconds = share * cycles_of(compute) / machine.clock.hertz;
  std::vector<double> level_seconds;
  double beyond = 0;  // The loads from beyond the second level take this time.
  for (std::size_t at = 0; at < machine.caches.size(); ++at) {
    const CacheLevel& level = machine.caches[at];
    const double core_share = level.shared_by_cores > 1 ? 1 : share;
    const LinkTime link = link_time(level, flows_of(resolved, at), core_share,
                                    prediction.compute_seconds, machine.rates.overlap_exponent);
    prediction.levels.push_back(link.level);
    level_seconds.push_back(link.level.burst_seconds);
    if (at > 0) beyond += link.unprefetched_seconds;
    if (at == 1) prediction.unhidden.prefetching = prefetching_seconds(resolved, compute, link);
  }
  prediction.unhidden.exposed = kExposedShare * std::min(beyond, prediction.compute_seconds);
  prediction.unhidden.packing = share * packing_seconds(resolved);
  prediction.unhidden.repack =
      repack(computation, marks, nest, machine, resolved.cores.used).seconds();
  prediction.unhidden.fork = resolved.cores.used > 1 ? kForkSeconds : 0;
  prediction.seconds =
      overlap_times(prediction.compute_seconds, level_seconds, machine.rates.overlap_exponent) +
      prediction.unhidden.sum();
  prediction.bottleneck = bottleneck_of(prediction);
  return prediction;
}

bool holds_arrays(const Computation& computation, const Schedule& schedule, const Machine& machine,
                  const CacheLevel& cache) {
  const Nest nest = resolve(schedule, computation, machine.vector.lanes);
  return ResolvedSchedule{computation, nest, schedule, machine, Capacity::lru2}.holds_arrays(cache);
}

CacheTraffic cache_traffic(const Computation& computation, const Schedule& schedule,
                           const Machine& machine, std::size_t at, Capacity capacity) {
  const Nest nest = resolve(schedule, computation, machine.vector.lanes);
  return traffic_of({computation, nest, schedule, machine, capacity}, at);
}

double bound_bytes(const Computation& computation, const Machine& machine) {
  if (machine.caches.empty()) return 0;
  const double held = held_elements(machine, machine.caches.size() - 1, std::max(machine.cores, 1));
  return lower_bound(computation, held).bytes;
}

Prediction predict(const Computation& computation, const Schedule& schedule, const Machine& machine,
                   Capacity capacity) {
  const Nest nest = resolve(schedule, computation, machine.vector.lanes);
  Prediction prediction = predict_nest(computation, nest, schedule, machine, capacity);
  prediction.bound_bytes = bound_bytes(computation, machine);
  return prediction;
}

}  // namespace tileplan
