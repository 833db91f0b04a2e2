// SPDX-License-Identifier: Apache-2.0
// This file lists blocks of tiles and channels, loop orders and register tiles of one Winograd
// algorithm.
#pragma once

#include <vector>

#include "tileplan/machine.h"
#include "tileplan/schedule.h"
#include "winograd_cost.h"

namespace tileplan {

/// Names the orders of the loops over blocks of tiles, output and input channels. If both kinds of
/// channels have several blocks, V or M must be whole, or tiles are transformed repeatedly.
enum class BlockOrder {
  whole_v,  ///< The loops are p, k: V of all input channels is filled for each block of tiles.
  whole_m,  ///< The loops are p, c: M of all output channels is emptied for each block of tiles.
  /// The loops are k, p: V of all input channels is filled for each block of output channels.
  repeat_v,
  /// In the order k, p, c, V of a block of input channels is filled for each block of output
  /// channels.
  repeat_c,
};

/// Names the order of the loops inside the loop over the products of a tile.
enum class TileOrder { tiles_inside, channels_inside };

/// Describes one schedule. Blocks divide the extents.
struct WinogradChoice {
  BlockOrder order = BlockOrder::whole_v;
  TileOrder inner = TileOrder::tiles_inside;
  std::int64_t tiles = 1;           ///< A block has this many tiles.
  std::int64_t output_vectors = 1;  ///< A block has this many vectors of output channels.
  std::int64_t input_channels = 1;  ///< A block has this many input channels.
  int vectors = 1;                  ///< The register tile has this many vectors.
  std::vector<Part> parts;          ///< Register tiles of one or two sizes cover a block of tiles.
  double least_seconds = 0;         ///< The prediction is at least this long.
};

/// Returns every choice whose register tiles cover blocks in the fewest and most equal parts, least
/// bound first. Choices whose bound exceeds `limit` seconds are left out.
std::vector<WinogradChoice> winograd_choices(const WinogradProblem& problem, const Machine& machine,
                                             double limit);

/// Returns the schedule of `choice`, without layouts and prefetches. With 2 `cores` or more, the
/// loops outside both boxes are parallel.
Schedule schedule_of(const WinogradProblem& problem, const WinogradChoice& choice, int lanes,
                     int cores);

}  // namespace tileplan
