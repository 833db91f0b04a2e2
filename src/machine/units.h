// SPDX-License-Identifier: Apache-2.0
// Which vector unit of a machine a schedule is for.
#pragma once

#include "tileplan/machine.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// The unit that `schedule` names: the machine's vector unit unless it says isa=. Throws Error with
/// the units that there are when it names none of them.
const VectorUnit& unit_of(const Schedule& schedule, const Machine& machine);

/// `machine` with that unit as its vector unit. Throws Error as unit_of.
Machine seen_by(const Schedule& schedule, Machine machine);

}  // namespace tileplan
