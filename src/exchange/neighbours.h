// SPDX-License-Identifier: Apache-2.0
// Finds the schedules that are one move away from a given one.
#pragma once

#include <vector>

#include "tileplan/schedule.h"

namespace tileplan {

/// Returns each schedule once that differs from `schedule` by one prime factor of one tile loop,
/// moved to another position in the nest. Adjacent loops of one dim are joined, so products over a
/// dim and the register tile stay the same. Loops around a parallel loop keep their positions, and
/// loops of a dim stay outside its lambda. The results have neither `ahead` nor packing, whose
/// positions are those of the original. Example: the neighbours of [T(4,i), T(2,j), V(j)] include
/// [T(2,i), T(2,j), T(2,i), V(j)] and [T(2,j), T(4,i), V(j)].
std::vector<Schedule> neighbours(const Schedule& schedule);

}  // namespace tileplan
