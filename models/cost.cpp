// SPDX-License-Identifier: Apache-2.0
// Predicted time of one schedule: models/README.md eq. (M) and (T).
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
#include "cores.h"
#include "footprint.h"
#include "integers.h"
#include "link.h"
#include "next_tile_prefetch.h"
#include "partial_overlap.h"
#include "reduction.h"
#include "repack.h"
#include "short_rows.h"

namespace tileplan {
namespace {

/// Starting and joining an OpenMP team that waits busily: 5.9 us for two halves of 10 us of work on
/// Sapphire Rapids, 2026-11-21 (docs/experiments/models.md).
constexpr double kForkSeconds = 0.9e-6;

/// Bytes on the link that fills one level.
struct Link {
  double reads = 0, writes = 0;

  double seconds(const CacheLevel& level) const { return link_seconds(level, reads, writes); }
};

/// What all levels of one prediction share.
struct Execution {
  const Computation& computation;
  const Schedule& schedule;
  Capacity capacity;
  Nest nest;
  TensorLayout input, output;  ///< as the loops find and leave them
  TensorLayout read;           ///< of the input or of the box into which it is packed
  Cores cores;
  double input_loaded = 1;  ///< share of its footprint that is no padding

  Execution(const Computation& c, const Schedule& s, const Machine& machine, Capacity held)
      : computation(c),
        schedule(s),
        capacity(held),
        nest(resolve(s, c, machine.vector.lanes)),
        input(layout_of(c, Operand::input, layout_in_loops(c, s, nest, Operand::input))),
        output(layout_of(c, Operand::output, layout_in_loops(c, s, nest, Operand::output))),
        read(read_layout(c, s, nest)),
        cores(cores_of(c, nest, machine.cores)) {
    input_loaded = packs_input() ? 1 : stored_share(c);  // boxes hold the zeros
  }

  /// Of what the iterations of `seen` touch: activations as stored, padding of blocks included.
  double touched_bytes(const Nest& seen) const {
    const Tile part = box_inside(seen, 0), whole = box_inside(nest, 0);
    const auto elements = [&](std::size_t tensor, std::int64_t stored) {
      return static_cast<double>(stored) *
             static_cast<double>(footprint(computation.tensors[tensor], part)) /
             static_cast<double>(footprint(computation.tensors[tensor], whole));
    };
    const auto weights = static_cast<double>(footprint(computation.tensor(Operand::weights), part));
    return element_bytes() * (elements(0, input.elements) + weights + elements(2, output.elements));
  }

  bool holds_arrays(const CacheLevel& cache) const {
    return touched_bytes(view_of(cores, cache).nest) <= usable_bytes(cache);
  }

  double element_bytes() const { return static_cast<double>(computation.element_bytes()); }

  bool packs_input() const { return schedule.pack_input.has_value(); }

  /// Loops outside the packed box. Requires: packs_input().
  std::size_t outside_box() const { return loops_around_box(schedule, nest); }
};

/// One cache line.
struct Line {
  double bytes = 0, elements = 0;
};

/// Bytes of whole lines per element of the box, of which a part may lie beyond the tensor.
double line_overhead(const TensorAccess& tensor, const TensorLayout& layout, const Tile& box,
                     const Line& line) {
  const double bytes = lines(tensor, layout, box, line.elements) * line.bytes /
                       static_cast<double>(footprint(tensor, box));
  return std::max(bytes, line.bytes / line.elements);
}

/// Elements that packing copies: the input's box inside the loop, each time that the loop advances.
double packed_elements(const Execution& run) {
  const std::size_t inside = run.outside_box();
  double elements = 0;
  for (const Branch& branch : branches_of(run.nest, inside)) {
    const Tile box = box_inside(branch.nest, inside);
    auto copies = static_cast<double>(footprint(run.computation.tensor(Operand::input), box));
    for (std::size_t i = 0; i < inside; ++i)
      copies *= static_cast<double>(branch.nest.loops[i].trips);
    elements += copies;
  }
  // Each core copies the whole box, of which it reads the part of its own iterations.
  for (std::size_t i = inside; i < run.nest.loops.size(); ++i)
    if (run.nest.loops[i].parallel)
      elements *= static_cast<double>(run.nest.loops[i].blocks()) /
                  static_cast<double>(run.cores.own.nest.loops[i].blocks());
  return elements;
}

/// Part of what one link moves, and the share of the execution during which it does.
struct Flow {
  Link link;
  double share = 1;
  double slowness = 1;      ///< of its seconds at the link's bandwidth
  bool prefetched = false;  ///< by `ahead`
};

/// True when `ahead` brings the operand into cache `at` all the time.
bool brings(const Execution& run, std::size_t at, Operand operand) {
  return at > 0 && run.schedule.ahead &&
         next_tile_operand(run.computation, run.nest, *run.schedule.ahead) == operand;
}

CacheTraffic traffic_of(const Execution& run, const std::vector<CacheLevel>& caches,
                        std::size_t at) {
  const CacheLevel& level = caches[at];
  const std::int64_t element_bytes = run.computation.element_bytes();
  const Storage storage = storage_in(level, at == 0, run.read, run.output);
  CacheTraffic traffic;
  traffic.flat = flat_traffic(run.computation, view_of(run.cores, level).nest,
                              static_cast<std::int64_t>(usable_elements(level, element_bytes)),
                              rule_for(run.capacity, level, element_bytes), &storage);
  traffic.in_box = within_box(traffic.flat, run.schedule, run.nest);
  if (!brings(run, at, Operand::input))
    traffic.input_slowness = short_row_penalty(run.computation.tensor(Operand::input), run.read,
                                               traffic.in_box, caches, at);
  return traffic;
}

/// Cold traffic of the flat model, per tensor: eq. (M), (B).
std::vector<Flow> flat_flows(const Execution& run, const std::vector<CacheLevel>& caches,
                             std::size_t at) {
  const CacheLevel& level = caches[at];
  const NestView& view = view_of(run.cores, level);
  const auto& tensors = run.computation.tensors;
  const double element_bytes = run.element_bytes();
  const auto line_bytes = static_cast<double>(level.line_bytes);
  const Line line{.bytes = line_bytes, .elements = line_bytes / element_bytes};
  const CacheTraffic seen = traffic_of(run, caches, at);
  const FlatTraffic& traffic = seen.flat;
  const double input_bytes =
      line_overhead(tensors[0], run.read, seen.in_box.walked[Operand::input], line);
  const double output_bytes =
      line_overhead(tensors[2], run.output, traffic.walked[Operand::output], line);
  const Tile whole = box_inside(run.nest, 0);
  PerTensor<double> volumes = volumes_of_all(run.computation, view, traffic.volumes, whole);
  volumes[Operand::input] *= run.input_loaded;
  volumes[Operand::weights] *=
      weights_share(run.computation, run.nest.vectorised, traffic.walked[Operand::weights]);
  // The last visit of a non-temporal output neither reads for ownership nor writes through this
  // link.
  const auto last_visit =
      static_cast<double>(run.schedule.nontemporal ? footprint(tensors[2], whole) : 0);
  const double output = (volumes[Operand::output] - last_visit) * output_bytes;
  const auto flow = [&](Operand operand, Link link) {
    const bool spread = brings(run, at, operand);
    const double share =
        spread ? 1
               : streaming_share(run.computation, view.nest,
                                 tensors[static_cast<std::size_t>(operand)], traffic.cut);
    return Flow{.link = link,
                .share = share,
                .slowness = operand == Operand::input ? seen.input_slowness : 1,
                .prefetched = spread};
  };
  return {flow(Operand::input, {.reads = volumes[Operand::input] * input_bytes}),
          flow(Operand::weights, {.reads = volumes[Operand::weights] * element_bytes}),
          flow(Operand::output, {.reads = output, .writes = output})};
}

/// What only the innermost level pays: sets that overflow, and packing (source, destination for
/// ownership, write-back).
Link innermost_extra(const Execution& run, const CacheLevel& l1) {
  if (run.packs_input()) {
    const double bytes = run.element_bytes() * packed_elements(run);
    return {.reads = 2 * bytes, .writes = bytes};
  }
  return {.reads = conflict_lines(run.computation, run.nest, run.input, l1) *
                   static_cast<double>(l1.line_bytes),
          .writes = 0};
}

/// Cycles per row of neighbours that is packed. Rows of 56 pixels of 4 to 64 channels for vectors
/// of them, with their zeros: 45 to 54 from nchw, Sapphire Rapids virtual machine, 2026-11-21. Rows
/// of 16 and 64 channels: 37 and 66, Zen 4, 2026-11-22. Not tested on other machines.
constexpr double kCyclesPerRow = 50;

/// And per pixel of a row whose pixels are not neighbours in the input: 0.9 to 1.1 from nhwc, also
/// of every other pixel, 1.0 of every other pixel from nchw.
constexpr double kCyclesPerPixel = 1;

/// And per channel of a row whose channels are not neighbours: 3.2 from nchw, 16 channels of 3 x 7
/// pixels, Zen 4, 2026-11-22.
constexpr double kCyclesPerChannel = 3;

/// Cycles per element of packing: of each row of the box, of the vectorised pixels or of the first
/// reduction dim that the input has, or of each of its elements when they are not neighbours in the
/// input and that is more, eq. (R).
double packing_cycles(const Execution& run, const Tile& box) {
  const bool of_pixels = run.computation.role(run.nest.vectorised) == Role::pixel;
  const auto is_along = [&](Dim dim) {
    return of_pixels ? dim == run.nest.vectorised : run.computation.role(dim) == Role::reduction;
  };
  const auto& data = run.computation.tensor(Operand::input).data;
  for (std::size_t a = 0; a < data.size(); ++a)
    for (const Term& term : data[a].terms) {
      if (!is_along(term.dim)) continue;
      const double row = kCyclesPerRow / static_cast<double>(card(data[a], box));
      if (run.input.axes[a].offset(term.coefficient) == 1) return row;
      return std::max(row, of_pixels ? kCyclesPerPixel : kCyclesPerChannel);
    }
  return 0;
}

/// Seconds that packing takes beyond moving its bytes.
double packing_seconds(const Execution& run, const Machine& machine) {
  if (!run.packs_input() || machine.caches.empty()) return 0;
  const Tile box =
      box_inside(branches_of(run.nest, run.outside_box()).front().nest, run.outside_box());
  const double copying = packing_cycles(run, box) * packed_elements(run) / machine.hertz;
  return std::max(
      0.0, copying - innermost_extra(run, machine.caches.front()).seconds(machine.caches.front()));
}

std::vector<Flow> flows_of(const Execution& run, const std::vector<CacheLevel>& caches,
                           std::size_t at) {
  std::vector<Flow> flows;
  if (!run.holds_arrays(caches[at])) flows = flat_flows(run, caches, at);
  // Nothing is computed while the input is packed.
  if (at == 0)
    flows.push_back(
        {.link = innermost_extra(run, caches[at]), .share = run.packs_input() ? 0.0 : 1.0});
  // Non-temporal stores reach memory, whatever the caches hold.
  if (at + 1 == caches.size() && run.schedule.nontemporal)
    flows.push_back(
        {.link = {.writes = run.element_bytes() * static_cast<double>(run.output.elements)}});
  return flows;
}

/// Of computing and of what comes from beyond the second level, the share of the shorter one that
/// the longer one does not hide, eq. (E).
constexpr double kExposedShare = 0.1;

/// Cycles per prefetch of a line from the third level while its link is all that a core waits for,
/// eq. (Q). Products of 1 and 2 rows with 512 x 512 to 1024 x 1024 weights, 1 x 1 and 2 x 2 pixels
/// of 512 channels: 0.36 to 0.75; nothing from 4 rows on, where computing takes longer. Zen 4,
/// 2026-11-22; not tested on other machines.
constexpr double kCyclesPerPrefetch = 0.5;

/// What fills more of a third level that others use too comes from memory in part, where prefetches
/// pay: 8 and 9 MB of weights beside 32 MB 0.78 to 1.14 of the time with them, in one minute and
/// another, 16 MB 0.74 to 0.95, 4 MB 1.35. Chosen, not fitted.
constexpr double kFilled = 0.25;

/// One link of a prediction.
struct LinkTime {
  LevelPrediction level;
  double unprefetched = 0;      ///< of its seconds, those of what comes without `ahead`
  double prefetched_bytes = 0;  ///< by `ahead`
};

/// Bytes and seconds of one link, on which a core has `core_share` of the traffic.
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
      result.unprefetched += seconds;
    streams.push_back({.seconds = seconds, .share = flow.share});
  }
  result.level.burst_seconds = partial_overlap_seconds(streams, compute, exponent);
  return result;
}

/// Of the prefetches of the busiest core, which does `share` of all, from a third level that holds
/// all that `link` brings into the second.
double prefetching_seconds(const Execution& run, const std::vector<BranchCompute>& compute,
                           const Machine& machine, const LinkTime& link, double share) {
  const std::vector<CacheLevel>& caches = machine.caches;
  const double working = share * cycles_of(compute) / machine.hertz;
  if (caches.size() < 3 || link.level.seconds <= working) return 0;
  if (link.level.bytes > kFilled * usable_bytes(caches[2])) return 0;
  const std::int64_t line = caches[0].line_bytes / run.computation.element_bytes();
  const double before_loads =
      run.schedule.prefetch > 0 ? weight_lines(compute, machine.vector.lanes, line) : 0;
  const double lines =
      before_loads + link.prefetched_bytes / static_cast<double>(caches[1].line_bytes);
  const double waiting = 1 - working / link.level.seconds;
  return share * waiting * kCyclesPerPrefetch * lines / machine.hertz;
}

std::string bottleneck_of(const Prediction& prediction) {
  std::pair<double, std::string> longest{prediction.compute_seconds, "compute"};
  const auto consider = [&](double seconds, const std::string& name) {
    if (seconds > longest.first) longest = {seconds, name};
  };
  for (const LevelPrediction& level : prediction.levels) consider(level.seconds, level.name);
  consider(prediction.unhidden.packing, "packing");
  consider(prediction.unhidden.repack, "repack");
  return longest.second;
}

}  // namespace

double overlapped(double compute_seconds, const std::vector<double>& level_seconds,
                  double exponent) {
  // Relative to the largest term, so that small times do not vanish in the power.
  double largest = compute_seconds;
  for (const double seconds : level_seconds) largest = std::max(largest, seconds);
  if (largest <= 0) return 0;
  double sum = std::pow(compute_seconds / largest, exponent);
  for (const double seconds : level_seconds) sum += std::pow(seconds / largest, exponent);
  return largest * std::pow(sum, 1 / exponent);
}

Prediction predict_nest(const Computation& computation, const Schedule& schedule,
                        const Machine& machine, Capacity capacity) {
  const Execution run(computation, schedule, machine, capacity);
  const double share = run.cores.busiest_share;
  Prediction prediction;
  const std::vector<BranchCompute> compute = compute_of(computation, run.nest, run.read, machine);
  prediction.reduction_steps = mean_steps(compute);
  prediction.compute_seconds = share * cycles_of(compute) / machine.hertz;
  std::vector<double> level_seconds;
  double beyond = 0;  // seconds of what comes from beyond the second level without `ahead`
  for (std::size_t at = 0; at < machine.caches.size(); ++at) {
    const CacheLevel& level = machine.caches[at];
    const double core_share = level.shared_by_cores > 1 ? 1 : share;
    const LinkTime link = link_time(level, flows_of(run, machine.caches, at), core_share,
                                    prediction.compute_seconds, machine.overlap_exponent);
    prediction.levels.push_back(link.level);
    level_seconds.push_back(link.level.burst_seconds);
    if (at > 0) beyond += link.unprefetched;
    if (at == 1)
      prediction.unhidden.prefetching = prefetching_seconds(run, compute, machine, link, share);
  }
  prediction.unhidden.exposed = kExposedShare * std::min(beyond, prediction.compute_seconds);
  prediction.unhidden.packing = share * packing_seconds(run, machine);
  prediction.unhidden.repack =
      repack(computation, schedule, run.nest, machine, run.cores.used).seconds();
  prediction.unhidden.fork = run.cores.used > 1 ? kForkSeconds : 0;
  prediction.seconds =
      overlapped(prediction.compute_seconds, level_seconds, machine.overlap_exponent) +
      prediction.unhidden.sum();
  prediction.bottleneck = bottleneck_of(prediction);
  return prediction;
}

bool holds_arrays(const Computation& computation, const Schedule& schedule, const Machine& machine,
                  const CacheLevel& cache) {
  return Execution(computation, schedule, machine, Capacity::lru2).holds_arrays(cache);
}

CacheTraffic cache_traffic(const Computation& computation, const Schedule& schedule,
                           const Machine& machine, std::size_t at, Capacity capacity) {
  return traffic_of({computation, schedule, machine, capacity}, machine.caches, at);
}

double bound_bytes(const Computation& computation, const Machine& machine) {
  if (machine.caches.empty()) return 0;
  const double held = held_elements(machine, machine.caches.size() - 1, std::max(machine.cores, 1));
  return lower_bound(computation, held).bytes;
}

Prediction predict(const Computation& computation, const Schedule& schedule, const Machine& machine,
                   Capacity capacity) {
  Prediction prediction = predict_nest(computation, schedule, machine, capacity);
  prediction.bound_bytes = bound_bytes(computation, machine);
  return prediction;
}

}  // namespace tileplan
