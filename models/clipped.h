// SPDX-License-Identifier: Apache-2.0
// Footprints and volumes of the arrays as they are stored: elements of the padding do not count.
// models/README.md eq. (P).
#pragma once

#include <cstdint>

#include "computation.h"
#include "dims.h"
#include "movement.h"

namespace tileplan {

/// Iterations origin <= x < origin + size.
struct PlacedTile {
  Tile origin{};
  Tile size{};
};

/// Distinct values of `data` in [0, extent) over the box. Exact. Two iterators: the starts of the
/// chains of (F2) that lie in the array, counted row by row. Example: 3 taps over the first 4
/// outputs with one row of padding before them touch 5 of 6 rows. Requires positive coefficients: a
/// computation has no others.
std::int64_t card_in_array(const DataDim& data, const PlacedTile& box);

/// `volumes` without the padding: each tile of the box `within` (its first iteration is 0) counts
/// the stored elements that are new to it along q, all of them when a loop outside q advances. The
/// indices of a tensor are independent (C1), so the sum over tiles is a product of sums over the
/// tiles of one index. Exact, ragged tiles included. Requires what `volumes` requires. Throws Error
/// when an index takes more than 10^9 steps to count; they are at most the product of the sizes of
/// its iterators.
PerTensor<std::int64_t> clipped_volumes(const Computation& computation, const LoopOrder& order,
                                        const Tile& tile, const Tile& within);

/// Stored elements in the fullest of these tiles, per tensor. Requires and throws as above.
PerTensor<std::int64_t> clipped_footprints(const Computation& computation, const Tile& tile,
                                           const Tile& within);

}  // namespace tileplan
