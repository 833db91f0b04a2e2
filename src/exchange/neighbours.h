// SPDX-License-Identifier: Apache-2.0
// Finds the schedules that are one move away from a given one.
#pragma once

#include "tileplan/schedule.h"

namespace tileplan {

/// Returns each schedule once that has one prime factor of one tile loop at another position. Loops
/// around a parallel loop keep their positions, and loops of a dim stay outside its lambda. The
/// results have neither `ahead=` nor packing. The neighbours of [T(4,i), T(2,j), V(j)] include
/// [T(2,i), T(2,j), T(2,i), V(j)].
std::vector<Schedule> neighbours(const Schedule& schedule);

}  // namespace tileplan
