// SPDX-License-Identifier: Apache-2.0
// This file makes schedules of products with one register tile, and a smaller tile for the
// remaining rows.
#pragma once

#include "throughput.h"
#include "tileplan/machine.h"
#include "tileplan/problem.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Returns the register tile with the fewest cycles per multiply-add on `machine`, among the tiles
/// that fit the registers and whose width divides n. Throws Error unless `shape` is one product in
/// f32 of matrices without gaps, none transposed, and n is a multiple of the number of lanes.
RegisterTile fastest_tile(const GemmShape& shape, const Machine& machine);

/// Returns two schedules of `shape`: the loop over rows is outside the loop over columns in one and
/// inside it in the other. If they are equal, returns one. A smaller tile computes the remaining
/// rows: 17 rows and tiles of 8 x 2 give L(i,[2*8,1*1]). Requires that `tile` comes from
/// fastest_tile().
std::vector<Schedule> tiled_schedules(const GemmShape& shape, RegisterTile tile, int lanes);

}  // namespace tileplan
