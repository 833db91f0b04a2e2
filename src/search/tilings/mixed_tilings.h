// SPDX-License-Identifier: Apache-2.0
// This file lists pairs of register sizes along a whole extent, or along each of two. Up to four
// microkernels then cover shapes that no divisor and no pair of sizes in small blocks covers well.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "register_tilings.h"

namespace tileplan {

/// Holds the parts along one or two directions that cover their extents. Others have one size.
struct MixedTiling {
  TileShape shape;  ///< Along directions with parts, the shape has the whole extent.
  std::array<SplitAxis, 2> axes{};
  /// Sizes are in units of the register shape. The second is empty for one direction.
  std::array<std::vector<Part>, 2> parts = {};
  double seconds = 0;  ///< All calls take this long when reductions are never split.
};

/// Returns at most `keep` tilings that take less than `below` seconds, fastest first. The fastest
/// of each number of vectors, with any pixels and with at most TilingProblem::ways, are preferred.
/// Example: 61 vectors are 2 * 2 + 19 * 3 and 67 channels 1 * 4 + 9 * 7; 739 rows by 2 vectors are
/// 1 * 11 + 52 * 14.
std::vector<MixedTiling> mixed_tilings(const TilingProblem& problem, const TileRates& rates,
                                       double below, std::size_t keep);

}  // namespace tileplan
