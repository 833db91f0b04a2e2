// SPDX-License-Identifier: Apache-2.0
// flat_traffic() (flat.h) counts the elements that enter a cache. Marks and regimes change these
// counts.
#include "link_flows.h"

#include <algorithm>

#include "branches.h"
#include "capacity.h"
#include "footprint.h"
#include "partial_overlap.h"

namespace tileplan {
namespace {

/// Returns the bytes of the cache lines that `box` touches, per element of the box. A part of the
/// box may lie outside the tensor, so the result is at least the size of an element.
double bytes_per_element(const TensorAccess& tensor, const TensorLayout& layout, const Tile& box,
                         double line_bytes) {
  const auto element_bytes = static_cast<double>(tensor.element_bytes());
  const double bytes = lines(tensor, layout, box, line_bytes / element_bytes) * line_bytes /
                       static_cast<double>(footprint(tensor, box));
  return std::max(bytes, element_bytes);
}

/// Returns the factor by which stores take longer because a share of them
/// (ResolvedSchedule::conflicting) conflicts in the innermost cache, eq. (W), or 1 if the rate of
/// conflicting stores was not measured.
double store_slowness(const ResolvedSchedule& resolved, const CacheLevel& level) {
  if (level.conflict_bytes_per_second <= 0) return 1;
  return 1 + resolved.conflicting *
                 std::max(0.0, write_rate(level) / level.conflict_bytes_per_second - 1);
}

/// Returns the factor by which outputs take longer because the reads for ownership, a part of the
/// time of stores, are slow in short rows, eq. (M).
double ownership_slowness(const ResolvedSchedule& resolved, std::size_t at) {
  const CacheLevel& level = resolved.machine.caches[at];
  if (level.fill_bytes_per_second <= 0) return 1;
  const double slowness = written_row_penalty(resolved.written_row, resolved.machine, at);
  return 1 + (slowness - 1) / (1 + write_cost(level));
}

/// Returns the number of sums that take as many bytes as `volume` outputs that enter a cache with
/// ordinary stores. Each output is finished once, and is then as small as its type where kernels
/// convert it in registers.
double output_volume(const ResolvedSchedule& resolved, double volume) {
  const Computation& computation = resolved.computation;
  const TensorAccess& output = computation.tensor(Operand::output);
  Marks ordinary = resolved.marks;
  ordinary.nontemporal = false;
  const std::int64_t saved =
      output.element_bytes() -
      finished_bytes(computation, ordinary, resolved.nest, resolved.machine.vector);
  return volume - static_cast<double>(saved * footprint(output, extents_of(computation))) /
                      static_cast<double>(output.element_bytes());
}

/// Returns true when `operand` is the input or the weights and is packed into a box that `level`
/// holds. Its traffic on the link into this cache is then that of the copy, with which no
/// computation overlaps.
bool is_packed_within(const ResolvedSchedule& resolved, Operand operand, const CacheLevel& level) {
  const Marks& marks = resolved.marks;
  const bool packs = operand == Operand::input     ? marks.pack_input.has_value()
                     : operand == Operand::weights ? marks.pack_weights.has_value()
                                                   : false;
  if (!packs) return false;
  const Tile box =
      largest_box_inside(resolved.nest, loops_around_box(marks, resolved.nest, operand));
  const TensorAccess& tensor = resolved.computation.tensor(operand);
  return resolved.bytes_of(operand, static_cast<double>(footprint(tensor, box))) <=
         usable_bytes(level);
}

/// Returns the traffic of each tensor into a cache that is empty before the run, when nothing is
/// prefetched and stores are ordinary: eq. (M), (B).
std::vector<Flow> flat_flows(const ResolvedSchedule& resolved, std::size_t at,
                             const CacheTraffic& of) {
  const CacheLevel& level = resolved.machine.caches[at];
  const NestView& view = view_of(resolved.cores, level);
  const auto& tensors = resolved.computation.tensors;
  const auto line_bytes = static_cast<double>(level.line_bytes);
  const FlatTraffic& traffic = of.flat;
  const double input_bytes =
      bytes_per_element(tensors[0], resolved.read, of.in_box.walked[Operand::input], line_bytes);
  const double output_bytes =
      bytes_per_element(tensors[2], resolved.output, traffic.walked[Operand::output], line_bytes);
  const Tile& walked_weights = traffic.walked[Operand::weights];
  const double weights_bytes =
      resolved.rows ? bytes_per_element(tensors[1], *resolved.rows, walked_weights, line_bytes)
                    : static_cast<double>(tensors[1].element_bytes());
  const Tile whole = box_inside(resolved.nest, 0);
  PerTensor<double> volumes = volumes_of_all(resolved.computation, view, traffic.volumes, whole);
  volumes[Operand::input] *= resolved.input_loaded;
  volumes[Operand::weights] *=
      weights_share(resolved.computation, resolved.nest.vectorised, walked_weights);
  const double output = output_volume(resolved, volumes[Operand::output]) * output_bytes;
  std::vector<Flow> flows = {
      {.link = {.reads = volumes[Operand::input] * input_bytes}, .slowness = of.input_slowness},
      {.link = {.reads = volumes[Operand::weights] * weights_bytes},
       .slowness = of.weights_slowness},
      {.link = {.reads = output, .writes = output},
       // Calibration stores short rows (two vectors) when it measures conflicting stores. The
       // measured rate thus includes slow reads for ownership, so the larger factor counts, not the
       // product.
       .slowness = std::max(store_slowness(resolved, level), ownership_slowness(resolved, at))}};
  for (std::size_t t = 0; t < flows.size(); ++t) {
    for (const TrafficPart& part : traffic.parts)
      flows[t].of_parts.push_back(part.volumes.values[t]);
    const bool is_copied = at > 0 && is_packed_within(resolved, static_cast<Operand>(t), level);
    flows[t].share =
        is_copied ? 0 : streaming_share(resolved.computation, view.nest, tensors[t], traffic.cut);
  }
  return flows;
}

/// Returns the traffic into a cache that holds all tensors after one run, and loads those that the
/// regime makes cold. The result is empty for hot caches. Cold outputs are read for ownership, and
/// all outputs stay in the cache.
std::vector<Flow> cold_flows(const ResolvedSchedule& resolved, std::size_t at,
                             const CacheTraffic& traffic) {
  std::vector<Flow> flows;
  if (resolved.rules.regime == Regime::hot) return flows;
  flows = flat_flows(resolved, at, traffic);
  for (std::size_t t = 0; t < flows.size(); ++t) {
    flows[t].link.writes = 0;
    if (!resolved.is_cold(static_cast<Operand>(t))) flows[t].link.reads = 0;
  }
  return flows;
}

/// Applies the marks for prefetches and non-temporal stores to the `flows` of input, weights and
/// output.
void apply_marks(const ResolvedSchedule& resolved, std::size_t at, std::vector<Flow>& flows) {
  const Marks& marks = resolved.marks;
  if (marks.nontemporal) flows[2].link = {};
  // If the calibration found no prefetch distance that saves time, prefetches hide nothing.
  flows[1].early =
      marks.prefetch > 0 && resolved.machine.rates.prefetch_steps > 0 && !marks.pack_weights;
  for (std::size_t t = 0; t < flows.size(); ++t) {
    if (!resolved.is_prefetched(at, static_cast<Operand>(t))) continue;
    flows[t].prefetched = true;
    flows[t].share = 1;
    if (static_cast<Operand>(t) == Operand::input) flows[t].slowness = 1;
  }
}

/// Returns the factor by which non-temporal stores take longer, eq. (W), or 1 when each store fills
/// a cache line. Calls may fill parts of lines or have lines at the same offset in different pages,
/// and loops may write short rows in turn. In either case, lines leave the core in parts, so the
/// larger factor counts.
double streamed_slowness(const ResolvedSchedule& resolved) {
  // The value was measured on one machine (docs/experiments.md).
  constexpr double kScattered = 6;
  const Machine& machine = resolved.machine;
  const std::int64_t vector_bytes = machine.vector.lanes * bytes_of(machine.vector.element);
  if (vector_bytes >= machine.caches.front().line_bytes) return 1;
  const double scattered =
      scattered_stores(resolved.computation, resolved.nest, resolved.output, machine);
  return std::max(1 + (kScattered - 1) * scattered,
                  written_row_penalty(resolved.written_row, machine, machine.caches.size() - 1));
}

/// Appends the traffic of outputs with non-temporal stores. Each visit of an output writes it to
/// memory, even when the caches have room for it, and each visit but the first reads it from
/// memory.
void append_streamed(const ResolvedSchedule& resolved, std::size_t at, std::vector<Flow>& flows) {
  double calls = 0, resumed = 0;
  for (const Branch& branch : branches_of(resolved.nest)) {
    const Calls of_branch = calls_of(resolved.computation, branch);
    calls += of_branch.calls;
    resumed += of_branch.resumed;
  }
  const double visits = calls / (calls - resumed);
  const double bytes =
      resolved.bytes_of(Operand::output, static_cast<double>(resolved.output.elements));
  flows.push_back({.link = {.reads = (visits - 1) * bytes}});
  if (at + 1 == resolved.machine.caches.size())
    flows.push_back(
        {.link = {.streamed = visits * bytes}, .slowness = streamed_slowness(resolved)});
}

/// Returns the traffic that only the link into the innermost cache has: packing, and cache lines of
/// the input that are loaded again because their sets overflow. Computation does not overlap with
/// packing (share 0), because it needs the packed box.
std::vector<Flow> innermost_flows(const ResolvedSchedule& resolved) {
  std::vector<Flow> flows;
  if (resolved.marks.pack_input) {
    flows.push_back({.link = packing_link(resolved, Operand::input), .share = 0});
  } else {
    const CacheLevel& l1 = resolved.machine.caches.front();
    const double lines = conflict_lines(resolved.computation, resolved.nest, resolved.input, l1);
    flows.push_back({.link = {.reads = lines * static_cast<double>(l1.line_bytes)}});
  }
  if (resolved.marks.pack_weights)
    flows.push_back({.link = packing_link(resolved, Operand::weights), .share = 0});
  if (resolved.marks.pack_output)
    flows.push_back({.link = packing_link(resolved, Operand::output), .share = 0});
  return flows;
}

/// Returns the number of whole units (Computation::unit_bytes) in `bytes`.
std::int64_t units_in(const ResolvedSchedule& resolved, double bytes) {
  return static_cast<std::int64_t>(bytes / static_cast<double>(resolved.computation.unit_bytes()));
}

/// Returns the number of pages in which a call of the microkernel reads weights in place. If the
/// nest has lambdas, the calls of its first branch count.
double pages_of_a_call(const ResolvedSchedule& resolved) {
  const Branch branch = branches_of(resolved.nest).front();
  return pages_of_weights(resolved.computation, *resolved.rows,
                          box_inside(branch.nest, microkernel_begin(resolved.computation, branch)));
}

}  // namespace

CacheTraffic traffic_of(const ResolvedSchedule& resolved, std::size_t at, double bytes) {
  const CacheLevel& level = resolved.machine.caches[at];
  const std::int64_t element_bytes = resolved.computation.unit_bytes();
  const Storage storage = storage_in(level, at == 0, resolved.read, resolved.output,
                                     resolved.rows ? &*resolved.rows : nullptr);
  CacheTraffic traffic;
  traffic.flat = flat_traffic(resolved.computation, view_of(resolved.cores, level).nest,
                              units_in(resolved, bytes),
                              rule_for(resolved.rules.capacity, level, element_bytes), &storage);
  traffic.in_box = within_box(traffic.flat, resolved.marks, resolved.nest);
  traffic.input_slowness = short_row_penalty(
      resolved.computation.tensor(Operand::input), resolved.read,
      {traffic.in_box.cut, traffic.in_box.walked[Operand::input]}, resolved.machine, at);
  // The innermost link is left out, because eq. (I) has the costs of rows in place that come from
  // the second level.
  if (resolved.rows && at > 0)
    traffic.weights_slowness =
        short_row_penalty(resolved.computation.tensor(Operand::weights), *resolved.rows,
                          {traffic.flat.cut, traffic.flat.walked[Operand::weights], kShortWeights},
                          resolved.machine, at) *
        many_pages_penalty(pages_of_a_call(resolved), resolved.machine, at);
  return traffic;
}

double packed_elements(const ResolvedSchedule& resolved, Operand operand) {
  const std::size_t inside = loops_around_box(resolved.marks, resolved.nest, operand);
  double elements = 0;
  for (const Branch& branch : branches_of(resolved.nest, inside)) {
    const Tile box = box_inside(branch.nest, inside);
    auto copies = static_cast<double>(footprint(resolved.computation.tensor(operand), box));
    double visits = 1;
    for (std::size_t i = 0; i < inside; ++i) {
      const NestLoop& loop = branch.nest.loops[i];
      copies *= static_cast<double>(loop.trips);
      if (resolved.computation.role(loop.dim) == Role::reduction)
        visits *= static_cast<double>(loop.trips);
    }
    // A box of outputs is copied back in each visit, and filled in each visit but the first, which
    // begins the sums. If results are added to the output, the first visit fills it too, which is
    // neglected.
    elements += operand == Operand::output ? copies * (2 - 1 / visits) : copies;
  }
  // When loops inside the box are parallel, each core copies the whole box, although its own
  // iterations read only a part of it.
  for (std::size_t i = inside; i < resolved.nest.loops.size(); ++i)
    if (resolved.nest.loops[i].parallel)
      elements *= static_cast<double>(resolved.nest.loops[i].blocks()) /
                  static_cast<double>(resolved.cores.own.nest.loops[i].blocks());
  return elements;
}

Link packing_link(const ResolvedSchedule& resolved, Operand operand) {
  const double bytes = resolved.bytes_of(operand, packed_elements(resolved, operand));
  return {.reads = 2 * bytes, .writes = bytes};
}

FilledCache filled_cache(const ResolvedSchedule& resolved, std::size_t at, double bytes) {
  FilledCache filled{.holds_all = resolved.stays_in(resolved.machine.caches[at], bytes)};
  if (!filled.holds_all || resolved.rules.regime != Regime::hot)
    filled.traffic = traffic_of(resolved, at, bytes);
  filled.flows = filled.holds_all ? cold_flows(resolved, at, filled.traffic)
                                  : flat_flows(resolved, at, filled.traffic);
  if (at == 0) filled.innermost = innermost_flows(resolved);
  return filled;
}

bool is_filled_equally(const ResolvedSchedule& resolved, std::size_t at, const FilledCache& filled,
                       double bytes) {
  return units_in(resolved, bytes) < filled.traffic.flat.next_capacity &&
         resolved.stays_in(resolved.machine.caches[at], bytes) == filled.holds_all;
}

std::vector<Flow> flows_of(const ResolvedSchedule& resolved, std::size_t at,
                           const FilledCache& filled) {
  std::vector<Flow> flows = filled.flows;
  if (!flows.empty()) apply_marks(resolved, at, flows);
  flows.insert(flows.end(), filled.innermost.begin(), filled.innermost.end());
  if (resolved.marks.nontemporal) append_streamed(resolved, at, flows);
  return flows;
}

}  // namespace tileplan
