// SPDX-License-Identifier: Apache-2.0
// Makes schedules of matrix products with one register tile, and a smaller one for the last rows.
#pragma once

#include "throughput.h"
#include "tileplan/machine.h"
#include "tileplan/problem.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Returns the register tile with the fewest cycles per multiply-add by the rates of `machine`
/// among tiles whose vectors divide n. Throws Error when n is not a multiple of the lanes, or for a
/// batch.
RegisterTile fastest_tile(const GemmShape& shape, const Machine& machine);

/// Returns schedules of `shape` in both loop orders. Whole tiles along i are followed by a smaller
/// tile with the remaining rows. Example: 17 rows with tiles of 8 x 2 give L(i,[2*8,1*1]). Requires
/// that `tile` comes from fastest_tile().
std::vector<Schedule> tiled_schedules(const GemmShape& shape, RegisterTile tile, int lanes);

}  // namespace tileplan
