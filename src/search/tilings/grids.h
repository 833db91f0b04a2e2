// SPDX-License-Identifier: Apache-2.0
// Two register sizes along a whole extent, or along each of two: up to four microkernels cover what
// no divisor and no pair of sizes in blocks that fit the innermost cache covers well.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "register_tilings.h"

namespace tileplan {

/// Parts along one or two directions, each covering its whole extent; the others have one size.
struct Grid {
  TileShape shape;  ///< sizes along directions with parts are their extents
  std::array<Along, 2> along{};
  std::array<std::vector<Part>, 2> parts;  ///< in units of the register shape; of one: second empty
  double seconds = 0;                      ///< of all calls, reductions never split
};

/// `keep` grids that take less than `below` seconds, fastest first: the fastest of each number of
/// vectors, with any pixels and with no more than Cover::ways, before others. Example: 61 vectors
/// as 2 * 2 + 19 * 3 and 67 channels as 1 * 4 + 9 * 7; 739 rows as 1 * 11 + 52 * 14 by 2 vectors.
std::vector<Grid> grids(const Cover& cover, const TileRates& rates, double below, std::size_t keep);

}  // namespace tileplan
