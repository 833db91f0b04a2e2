// SPDX-License-Identifier: Apache-2.0
// This file finds the schedules that are one move away from a given schedule.
#pragma once

#include "tileplan/schedule.h"

namespace tileplan {

/// Returns all schedules that differ from `schedule` by one prime factor of one loop (T) at another
/// position. They have no `ahead=` and no packing. If `schedule` has these marks, its loops without
/// the marks may be returned too. There are no neighbours of a schedule that packs weights or
/// outputs. Factors move only among the loops between the parallel loops and the register tile, and
/// loops of a dimension stay outside its list of blocks (lambda). [T(4,i), T(2,j), V(j)] has the
/// neighbour [T(2,i), T(2,j), T(2,i), V(j)].
std::vector<Schedule> neighbours(const Schedule& schedule);

}  // namespace tileplan
