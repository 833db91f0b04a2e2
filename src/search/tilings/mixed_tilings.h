// SPDX-License-Identifier: Apache-2.0
// This file lists pairs of register tile sizes that cover one or two whole extents. They help when
// neither good sizes nor small blocks of two sizes (register_tilings.h) divide an extent.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "register_tilings.h"

namespace tileplan {

/// Holds two register tile sizes along each of one or two directions, and one size along all other
/// directions.
struct MixedTiling {
  /// Gives the sizes of a register tile, and the whole extent along directions with two sizes.
  TileShape shape;
  std::array<SplitAxis, 2> axes{};
  /// Sizes are in units of TileShape (vectors, not elements). The second list is empty if only one
  /// direction has two sizes.
  std::array<std::vector<Part>, 2> parts = {};
  double seconds = 0;  ///< Gives the time of all calls when no reduction is split.
};

/// Returns at most `keep` tilings that take less than `below` seconds, fastest first. For each
/// number of vectors of the tile that covers most outputs, two tilings are preferred: the fastest
/// whose tile has at most TilingProblem::ways pixels (TileShape::pixels), and the fastest whose
/// tile has more. Example: 61 vectors are 2 * 2 + 19 * 3, and 67 channels are 1 * 4 + 9 * 7.
std::vector<MixedTiling> mixed_tilings(const TilingProblem& problem, const TileRates& rates,
                                       double below, std::size_t keep);

}  // namespace tileplan
