// SPDX-License-Identifier: Apache-2.0
// These functions count footprints and volumes without padding: models/README.md eq. (P).
#pragma once

#include "movement.h"

namespace tileplan {

/// Returns `volumes` without the padding. Each tile of the box `within`, which starts at iteration
/// 0, counts the stored elements that are new to it along q, and all of them when a loop outside q
/// advances. The indices of a tensor are independent (C1), so the sum of all tiles is a product of
/// sums of the tiles of one index. The count is exact, ragged tiles included. For two iterators the
/// starts of the chains of (F2) that are stored are counted row by row. Requires what `volumes`
/// requires. Throws Error when an index takes more than 10^9 steps to count.
PerTensor<std::int64_t> clipped_volumes(const Computation& computation, const LoopOrder& order,
                                        const Tile& tile, const Tile& within);

/// Returns the stored elements in the fullest of these tiles. Throws as clipped_volumes.
PerTensor<std::int64_t> clipped_footprints(const Computation& computation, const Tile& tile,
                                           const Tile& within);

}  // namespace tileplan
