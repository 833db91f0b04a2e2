// SPDX-License-Identifier: Apache-2.0
// This file finds the layouts that loops read and write, and the time of repacking a tensor: that
// of its copy or of its transposition in registers, whichever is longer.
#include "repack.h"

#include <algorithm>

#include "branches.h"
#include "fused_conversion.h"
#include "link.h"

namespace tileplan {
namespace {

/// Returns the level whose link limits a copy of `bytes` to another buffer: the next level inside
/// the innermost cache that holds both buffers, or the last level if no cache holds both. If the
/// first cache holds both, the result is the first cache, which overestimates the time. Requires at
/// least one cache.
const CacheLevel& link_of(const Machine& machine, double bytes) {
  constexpr double kPlaces = 2;
  const std::vector<CacheLevel>& caches = machine.caches;
  const auto holds = std::ranges::find_if(
      caches, [&](const CacheLevel& cache) { return kPlaces * bytes <= usable_bytes(cache); });
  return holds == caches.begin() ? *holds : *(holds - 1);
}

/// Returns the time of copying `operand` between the caller's tensor and a tensor of `layout`,
/// which the loops use.
double copy_seconds(const Computation& computation, Operand operand, Layout layout,
                    const Machine& machine, int cores) {
  const auto elements = static_cast<double>(layout_of(computation, operand, layout).elements);
  const auto element_bytes = static_cast<double>(computation.tensor(operand).element_bytes());
  return transposition_seconds(elements, element_bytes, machine, cores);
}

/// Returns true when the loops read an nhwc copy of the input, whose layout is `given`, because
/// they need strips, another element type or zeros. The result is false for plain inputs, whose
/// copies are plain.
bool needs_copy(const TensorAccess& input, Layout given, Dim vectorised) {
  if (given == Layout::plain) return false;
  const bool has_strips = input.strip > 1;
  return input.copied || !holds_strips(given, input) ||
         (has_strips && (given == Layout::nchw || is_present(input, vectorised)));
}

}  // namespace

Layout layout_in_loops(const Computation& computation, const Marks& schedule, const Nest& nest,
                       Operand operand) {
  const Layout given = operand == Operand::input ? schedule.in : schedule.out;
  if (schedule.winograd) return given == Layout::nchw ? Layout::nhwc : given;
  const TensorAccess& tensor = computation.tensor(operand);
  if (operand == Operand::input && needs_copy(tensor, given, nest.vectorised)) return Layout::nhwc;
  if (computation.role(nest.vectorised) != Role::pixel)
    return given == Layout::nchw && is_present(tensor, nest.vectorised) ? Layout::nhwc : given;
  if (operand == Operand::input || given != Layout::nhwc) return given;
  const TensorLayout layout = layout_of(computation, operand, given);
  return holds_vectors(tensor, layout, nest.vectorised, 1) ? given : Layout::nchw;
}

std::int64_t finished_bytes(const Computation& computation, const Marks& schedule, const Nest& nest,
                            const VectorUnit& unit) {
  const bool is_written_in_place =
      converts_in_registers(computation, schedule, nest, unit) &&
      layout_in_loops(computation, schedule, nest, Operand::output) == schedule.out;
  return is_written_in_place ? bytes_of(types_of(computation.problem).output)
                             : computation.tensor(Operand::output).element_bytes();
}

std::optional<TensorLayout> input_in_place(const Computation& computation, const Marks& schedule,
                                           const Nest& nest) {
  if (schedule.pack_input) return std::nullopt;
  return layout_of(computation, Operand::input,
                   layout_in_loops(computation, schedule, nest, Operand::input));
}

std::size_t loops_around_box(const Marks& schedule, const Nest& nest, Operand operand) {
  const std::optional<int> positions[] = {schedule.pack_input, schedule.pack_weights,
                                          schedule.pack_output};
  const int position = *positions[static_cast<std::size_t>(operand)];
  return std::min(static_cast<std::size_t>(position) + 1, nest.loops.size());
}

std::optional<TensorLayout> weights_in_place(const Computation& computation,
                                             const Marks& schedule) {
  if (!schedule.weights_in_place) return std::nullopt;
  return layout_of(computation, Operand::weights, Layout::plain);
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

/// Transposing in registers and copying overlap, so the result is the longer time.
double transposition_seconds(double elements, double element_bytes, const Machine& machine,
                             int cores) {
  if (machine.caches.empty()) return 0;
  const double bytes = element_bytes * elements;
  const CacheLevel& link = link_of(machine, bytes);
  const double copying = link_seconds(link, 2 * bytes, bytes);
  const double transposing =
      machine.rates.overheads.transposed_cycles * elements / machine.clock.hertz;
  return std::max(transposing / cores, copying / caches_of(link, cores));
}

Repack repack(const Computation& computation, const Marks& schedule, const Nest& nest,
              const Machine& machine, int cores) {
  Repack result;
  if (machine.caches.empty()) return result;
  const auto seconds = [&](Operand operand, Layout given) {
    const Layout layout = layout_in_loops(computation, schedule, nest, operand);
    const bool is_converted = operand == Operand::output &&
                              converts_in_registers(computation, schedule, nest, machine.vector);
    const bool is_read = layout == given && (!computation.tensor(operand).copied || is_converted);
    return is_read ? 0 : copy_seconds(computation, operand, layout, machine, cores);
  };
  result.input = seconds(Operand::input, schedule.in);
  result.output = seconds(Operand::output, schedule.out);
  return result;
}

}  // namespace tileplan
