// SPDX-License-Identifier: Apache-2.0
// This file describes the products of a Winograd convolution as a computation.
#pragma once

#include "computation.h"

namespace tileplan {

/// These are the positions of the indices of V and M, and of the axes of their boxes.
constexpr std::size_t kBoxGroups = 0, kBoxProducts = 1, kBoxTiles = 2, kBoxChannels = 3;

/// Counts the tiles of `WinogradTiles::outputs` that cover the outputs of one image.
struct TileCounts {
  std::int64_t rows = 1, columns = 1;
};

TileCounts tile_counts(const ConvShape& shape, const WinogradTiles& tiles);

/// Returns M[g][x][p][k] += V[g][x][p][c] * U[g][x][c][k], whose dimensions are g, x, p, k and c:
/// groups, products of a tile, tiles of all images row by row, output and input channels of a
/// group. Computation::problem is a Relation with the name of `shape`. Throws Error for sizes that
/// computation_of() refuses, and for more than 2^63 - 1 tiles. Requires that check_winograd()
/// accepts `shape` and `tiles`.
Computation winograd_products(const ConvShape& shape, const WinogradTiles& tiles);

/// Returns winograd_products() of `tiles`, made from `other`, the products of other tiles of the
/// same shape, whose accesses are equal. Reading the accesses by isl again would take longer than
/// predicting some algorithms.
Computation resized_products(const Computation& other, const ConvShape& shape,
                             const WinogradTiles& tiles);

/// Returns the layout of the box of V (Operand::input) or M (Operand::output) that the iterations
/// `box` of winograd_products() use. Channels are contiguous in whole vectors of `lanes`. Planes of
/// tiles, one per product and group, are an odd multiple of 64 bytes apart; otherwise the cache
/// lines of a tile, one in each plane, would compete for a few sets. Throws Error when the box has
/// more than 2^63 - 1 elements.
TensorLayout winograd_box_layout(const Computation& products, Operand operand, const Tile& box,
                                 int lanes);

}  // namespace tileplan
