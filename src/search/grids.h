// SPDX-License-Identifier: Apache-2.0
// Two register sizes along each of two directions: up to four microkernels cover what no divisor
// and no pair of sizes along one direction covers well.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "coverings.h"

namespace tileplan {

/// Parts along two directions, each covering its whole extent; the third direction has one size.
struct Grid {
  Shape shape;  ///< sizes along the two directions are their extents
  std::array<Along, 2> along{};
  std::array<std::vector<Part>, 2> parts;  ///< in units of the register shape
  double seconds = 0;                      ///< of all calls, reductions never split
};

/// The `keep` fastest grids that take less than `below` seconds, fastest first. Example: 61 vectors
/// as 2 * 2 + 19 * 3 and 67 channels as 1 * 4 + 9 * 7.
std::vector<Grid> grids(const Cover& cover, const Rates& rates, double below, std::size_t keep);

}  // namespace tileplan
