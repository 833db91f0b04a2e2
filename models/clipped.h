// SPDX-License-Identifier: Apache-2.0
// Counts footprints and volumes without the padding of the arrays. models/README.md eq. (P).
#pragma once

#include "computation.h"
#include "movement.h"

namespace tileplan {

/// The iterations origin <= x < origin + size.
struct PlacedTile {
  Tile origin{};
  Tile size{};
};

/// Returns the exact number of distinct values of `data` in [0, extent) over the box. For two
/// iterators it counts the starts of the chains of (F2) that lie in the array, row by row. Requires
/// positive coefficients, which every computation has. Example: 3 taps over the first 4 outputs
/// with one row of padding before them touch 5 of 6 rows.
std::int64_t card_in_array(const DataDim& data, const PlacedTile& box);

/// Returns `volumes` without the padding. Each tile of the box `within`, which starts at iteration
/// 0, counts the stored elements that are new to it along q, and all of them when a loop outside q
/// advances. The indices of a tensor are independent (C1), so the sum over tiles is a product of
/// sums over the tiles of one index. The count is exact, ragged tiles included. Requires what
/// `volumes` requires. Throws Error when an index takes more than 10^9 steps to count.
PerTensor<std::int64_t> clipped_volumes(const Computation& computation, const LoopOrder& order,
                                        const Tile& tile, const Tile& within);

/// Returns the stored elements in the fullest of these tiles. Throws as clipped_volumes.
PerTensor<std::int64_t> clipped_footprints(const Computation& computation, const Tile& tile,
                                           const Tile& within);

}  // namespace tileplan
