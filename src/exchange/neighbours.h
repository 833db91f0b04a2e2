// SPDX-License-Identifier: Apache-2.0
// Schedules that are one move away from a given one.
#pragma once

#include <vector>

#include "tileplan/schedule.h"

namespace tileplan {

/// Schedules with the register tile of `schedule` that differ from it by one prime factor of one
/// tile loop, taken to another place in the nest; neighbouring loops of one dim are joined. The
/// products over each dim stay the same. Loops around a parallel loop stay where they are, loops of
/// a dim stay outside its lambda. Without `ahead` and packing, whose places are those of the
/// original. In the order of the places, each once.
/// Example: [T(4,i), T(2,j), V(j)] has [T(2,i), T(2,j), T(2,i), V(j)] and [T(2,j), T(4,i), V(j)]
/// ... among its neighbours.
std::vector<Schedule> neighbours(const Schedule& schedule);

}  // namespace tileplan
