// SPDX-License-Identifier: Apache-2.0
// This file selects the vector unit of a machine for a schedule.
#pragma once

#include "tileplan/machine.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Returns the unit that the mark isa= names, or Machine::vector without this mark. With the mark
/// widen, the unit widens bf16, unless it is AMX. Throws Error when the machine lacks the unit.
VectorUnit unit_of(const Schedule& schedule, const Machine& machine);

/// Returns `unit`, which then widens bf16 to f32 instead of multiplying it in dot products.
VectorUnit with_widened_bf16(VectorUnit unit);

/// Returns `machine` with unit_of() as its vector unit and the rates that apply to this unit.
/// Throws Error as unit_of() does.
Machine machine_for_schedule(const Schedule& schedule, Machine machine);

}  // namespace tileplan
