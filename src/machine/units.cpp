// SPDX-License-Identifier: Apache-2.0
// A schedule without isa= uses Machine::vector.
#include "units.h"

#include <utility>

#include "tileplan/error.h"

namespace tileplan {

VectorUnit unit_of(const Schedule& schedule, const Machine& machine) {
  return machine_for_schedule(schedule, machine).vector;
}

Machine machine_for_schedule(const Schedule& schedule, Machine machine) {
  if (schedule.widen) machine = with_widened_bf16(std::move(machine));
  if (!schedule.isa || *schedule.isa == machine.vector.isa) return machine;
  if (machine.narrow && *schedule.isa == machine.narrow->vector.isa)
    return with_narrow_unit(std::move(machine));
  if (machine.tiles && *schedule.isa == machine.tiles->isa)
    return with_tile_unit(std::move(machine));
  throw Error("schedule: isa=" + to_string(*schedule.isa) + "; " + machine.name + " has " +
              to_string(machine.vector.isa) +
              (machine.narrow ? " and " + to_string(machine.narrow->vector.isa) : "") +
              (machine.tiles ? " and " + to_string(machine.tiles->isa) : ""));
}

}  // namespace tileplan
