// SPDX-License-Identifier: Apache-2.0
// Strips change the extents of reduction dimensions only.
#include "element_loops.h"

#include <algorithm>

namespace tileplan {

StripLoops strip_loops(const Problem& problem, const Schedule& schedule, const VectorUnit& unit) {
  const Computation elements = computation_of(problem, schedule);
  return {.elements = elements, .strips = in_strips(elements, loop_types(types_of(problem), unit))};
}

std::optional<std::string> why_no_element_loops(const StripLoops& loops) {
  const auto& [elements, strips] = loops;
  for (int d = 0; d < elements.dims(); ++d) {
    const std::int64_t count = elements.extent(Dim{d}), steps = strips.extent(Dim{d});
    if (count == steps) continue;
    if (Dim{d} != strip_dim(elements)) return "strips that join filter columns";
    if (steps > 1 && count != steps * strips.products) return "a strip that is not full";
  }
  return std::nullopt;
}

Schedule element_schedule(Schedule schedule, const StripLoops& loops) {
  const auto& [elements, strips] = loops;
  const auto is_in_tile = [](const Specifier& loop) {
    return loop.kind == Kind::unroll || loop.kind == Kind::vector;
  };
  for (int d = 0; d < elements.dims(); ++d) {
    const std::int64_t count = elements.extent(Dim{d}), steps = strips.extent(Dim{d});
    if (count == steps) continue;
    schedule.loops.insert(
        std::ranges::find_if(schedule.loops, is_in_tile),
        {.kind = Kind::tile, .dim = elements.name(Dim{d}), .count = count / steps, .parts = {}});
  }
  return schedule;
}

}  // namespace tileplan
