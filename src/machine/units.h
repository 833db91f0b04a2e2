// SPDX-License-Identifier: Apache-2.0
// Finds the vector unit of a machine for which a schedule is written.
#pragma once

#include "tileplan/machine.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Returns the unit that isa= names, else the vector unit. Throws Error when there is no such unit.
const VectorUnit& unit_of(const Schedule& schedule, const Machine& machine);

/// Returns `machine` with unit_of() as its vector unit. Throws Error as unit_of() does.
Machine machine_for_schedule(const Schedule& schedule, Machine machine);

}  // namespace tileplan
