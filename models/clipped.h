// SPDX-License-Identifier: Apache-2.0
// These functions count footprints and volumes without padding: models/README.md eq. (P).
#pragma once

#include "movement.h"

namespace tileplan {

/// Returns `volumes` without the padding. Each tile of the box `within`, which starts at iteration
/// 0, loads its new stored elements along q, and all its stored elements when a loop outside q
/// advances. The indices of a tensor are independent (C1), so the sum over all tiles is a product
/// of one sum per index. The count is exact even for ragged tiles. Requires what `volumes`
/// requires. Throws Error when an index takes more than 10^9 steps to count.
PerTensor<std::int64_t> clipped_volumes(const Computation& computation, const LoopOrder& order,
                                        const Tile& tile, const Tile& within);

/// Returns the largest number of stored elements in one tile of `within`, per tensor. Throws Error
/// as clipped_volumes does.
PerTensor<std::int64_t> clipped_footprints(const Computation& computation, const Tile& tile,
                                           const Tile& within);

}  // namespace tileplan
