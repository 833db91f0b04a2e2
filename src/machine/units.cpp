// SPDX-License-Identifier: Apache-2.0
// This file selects the vector unit of a schedule. A schedule without the mark isa= uses
// Machine::vector.
#include "units.h"

#include <utility>

#include "tileplan/error.h"

namespace tileplan {

namespace {

/// Returns the unit of `machine` that the mark isa= names, without the effect of the mark widen.
const VectorUnit& named_unit(const Schedule& schedule, const Machine& machine) {
  if (!schedule.isa || *schedule.isa == machine.vector.isa) return machine.vector;
  if (machine.narrow && *schedule.isa == machine.narrow->vector.isa) return machine.narrow->vector;
  if (machine.tiles && *schedule.isa == machine.tiles->isa) return *machine.tiles;
  throw Error("schedule: isa=" + to_string(*schedule.isa) + "; " + machine.name + " has " +
              to_string(machine.vector.isa) +
              (machine.narrow ? " and " + to_string(machine.narrow->vector.isa) : "") +
              (machine.tiles ? " and " + to_string(machine.tiles->isa) : ""));
}

bool is_tiles(const VectorUnit& unit, const Machine& machine) {
  return machine.tiles && &unit == &*machine.tiles;
}

}  // namespace

VectorUnit unit_of(const Schedule& schedule, const Machine& machine) {
  const VectorUnit& unit = named_unit(schedule, machine);
  return schedule.widen && !is_tiles(unit, machine) ? with_widened_bf16(unit) : unit;
}

Machine machine_for_schedule(const Schedule& schedule, Machine machine) {
  if (schedule.widen) machine = with_widened_bf16(std::move(machine));
  const VectorUnit& unit = named_unit(schedule, machine);
  if (is_tiles(unit, machine)) return with_tile_unit(std::move(machine));
  return &unit == &machine.vector ? machine : with_narrow_unit(std::move(machine));
}

}  // namespace tileplan
