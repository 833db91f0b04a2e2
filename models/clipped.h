// SPDX-License-Identifier: Apache-2.0
// These functions count footprints and volumes without padding: models/README.md eq. (P).
#pragma once

#include "movement.h"

namespace tileplan {

/// Returns the number of elements of each tensor that are loaded, without padding; `volumes`
/// (movement.h) counts padding too. The count is exact even when tiles do not divide `within`.
/// Requires what `volumes` requires. Throws Error when the iterators of an index have more than
/// 10^9 combinations, unless the index has a single iterator and no padding.
PerTensor<std::int64_t> clipped_volumes(const Computation& computation, const LoopOrder& order,
                                        const Tile& tile, const Tile& within);

/// Returns for each tensor the largest number of elements, without padding, in one tile of
/// `within`. Throws Error as clipped_volumes does.
PerTensor<std::int64_t> clipped_footprints(const Computation& computation, const Tile& tile,
                                           const Tile& within);

}  // namespace tileplan
