// SPDX-License-Identifier: Apache-2.0
// This file lists blocks of tiles and channels, loop orders and register tiles of one Winograd
// algorithm.
#pragma once

#include <vector>

#include "tileplan/machine.h"
#include "tileplan/schedule.h"
#include "winograd_cost.h"

namespace tileplan {

/// Names the orders of the loops p, k and c over blocks of tiles, output and input channels. V, the
/// transformed input, is whole if it holds all input channels, and M, the products, if it holds all
/// output channels. If both kinds of channels have several blocks, neither is whole, and tiles are
/// transformed again for each block of output channels.
enum class BlockOrder {
  whole_v,  ///< The loops are p, k: V of all input channels is filled for each block of tiles.
  whole_m,  ///< The loops are p, c: M of all output channels is emptied for each block of tiles.
  /// The loops are k, p: V of all input channels is filled for each block of output channels.
  repeat_v,
  /// The loops are k, p, c: V of a block of input channels is filled for each block of output
  /// channels.
  repeat_c,
};

/// Names the order of the loops inside the loop over the products of a tile.
enum class TileOrder { tiles_inside, channels_inside };

/// Describes one Winograd schedule by its blocks, loop orders and register tiles. Blocks divide the
/// extents.
struct WinogradChoice {
  BlockOrder order = BlockOrder::whole_v;
  TileOrder inner = TileOrder::tiles_inside;
  std::int64_t tiles = 1;           ///< Counts the tiles of a block.
  std::int64_t output_vectors = 1;  ///< Counts the vectors of output channels of a block.
  std::int64_t input_channels = 1;  ///< Counts the input channels of a block.
  int vectors = 1;                  ///< Counts the vectors of the register tile.
  /// Lists one or two sizes of register tiles, which cover a block of tiles.
  std::vector<Part> parts;
  double least_seconds = 0;  ///< Is a lower bound on the predicted seconds.
};

/// Returns the choices whose bound is at most `limit` seconds, least bound first. Their register
/// tiles cover blocks in parts that are as equal as possible, by the fewest register tiles or by
/// one more. Blocks have whole vectors of input channels, or all input channels. Orders that repeat
/// transforms are listed only with several blocks of tiles and of output channels.
std::vector<WinogradChoice> winograd_choices(const WinogradProblem& problem, const Machine& machine,
                                             double limit);

/// Returns the schedule of `choice`, without layouts and prefetches. With 2 `cores` or more, the
/// loops of several trips outside the buffers of V and M are parallel.
Schedule schedule_of(const WinogradProblem& problem, const WinogradChoice& choice, int lanes,
                     int cores);

}  // namespace tileplan
