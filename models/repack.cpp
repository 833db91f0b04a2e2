// SPDX-License-Identifier: Apache-2.0
// The time per tensor is the longer of the copy through one link and the transposition in
// registers.
#include "repack.h"

#include <algorithm>

#include "branches.h"
#include "link.h"

namespace tileplan {
namespace {

/// Transposing square blocks in registers (src/jit/transpose.h) takes these cycles per element. The
/// value is fitted by hand on one machine (docs/experiments.md).
constexpr double kCyclesPerElement = 0.8;

/// Returns the link through which `bytes` are copied to another buffer. Requires a cache.
const CacheLevel& link_of(const Machine& machine, double bytes) {
  constexpr double kPlaces = 2;
  const std::vector<CacheLevel>& caches = machine.caches;
  const auto holds = std::ranges::find_if(
      caches, [&](const CacheLevel& cache) { return kPlaces * bytes <= usable_bytes(cache); });
  return holds == caches.begin() ? *holds : *(holds - 1);
}

/// Returns the longer of the times for transposing and copying, because both overlap.
double copy_seconds(const Computation& computation, Operand operand, const Machine& machine,
                    int cores) {
  const auto elements = static_cast<double>(layout_of(computation, operand, Layout::nchw).elements);
  const double bytes = static_cast<double>(computation.tensor(operand).element_bytes()) * elements;
  const CacheLevel& link = link_of(machine, bytes);
  const double copying = link_seconds(link, 2 * bytes, bytes);
  const double transposing = kCyclesPerElement * elements / machine.clock.hertz;
  return std::max(transposing / cores, copying / caches_of(link, cores));
}

}  // namespace

Layout layout_in_loops(const Computation& computation, const Marks& schedule, const Nest& nest,
                       Operand operand) {
  const Layout given = operand == Operand::input ? schedule.in : schedule.out;
  const TensorAccess& tensor = computation.tensor(operand);
  if (computation.role(nest.vectorised) != Role::pixel)
    return given == Layout::nchw && is_present(tensor, nest.vectorised) ? Layout::nhwc : given;
  if (operand == Operand::input || given != Layout::nhwc) return given;
  const TensorLayout layout = layout_of(computation, operand, given);
  return holds_vectors(tensor, layout, nest.vectorised, 1) ? given : Layout::nchw;
}

std::optional<TensorLayout> input_in_place(const Computation& computation, const Marks& schedule,
                                           const Nest& nest) {
  if (schedule.pack_input) return std::nullopt;
  return layout_of(computation, Operand::input,
                   layout_in_loops(computation, schedule, nest, Operand::input));
}

std::size_t loops_around_box(const Marks& schedule, const Nest& nest) {
  return std::min(static_cast<std::size_t>(*schedule.pack_input) + 1, nest.loops.size());
}

TensorLayout packed_boxes_layout(const Computation& computation, const Nest& nest,
                                 std::size_t outside) {
  return packed_layout(computation, largest_box_inside(nest, outside), nest.vectorised);
}

TensorLayout read_layout(const Computation& computation, const Marks& schedule, const Nest& nest) {
  if (const auto in_place = input_in_place(computation, schedule, nest)) return *in_place;
  return packed_boxes_layout(computation, nest, loops_around_box(schedule, nest));
}

FlatTraffic within_box(FlatTraffic traffic, const Marks& schedule, const Nest& nest) {
  if (!schedule.pack_input) return traffic;
  const Tile box = largest_box_inside(nest, loops_around_box(schedule, nest));
  for (Tile* const each : {&traffic.cut, &traffic.walked[Operand::input]})
    std::ranges::transform(each->values, box.values, each->values.begin(), std::ranges::min);
  return traffic;
}

Repack repack(const Computation& computation, const Marks& schedule, const Nest& nest,
              const Machine& machine, int cores) {
  Repack result;
  if (machine.caches.empty()) return result;
  if (layout_in_loops(computation, schedule, nest, Operand::input) != schedule.in)
    result.input = copy_seconds(computation, Operand::input, machine, cores);
  if (layout_in_loops(computation, schedule, nest, Operand::output) != schedule.out)
    result.output = copy_seconds(computation, Operand::output, machine, cores);
  return result;
}

}  // namespace tileplan
