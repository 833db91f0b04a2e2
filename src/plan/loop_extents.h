// SPDX-License-Identifier: Apache-2.0
// The library numbers loops, and this file converts the numbers to the names that users see.
#pragma once

#include <vector>

#include "computation.h"
#include "tileplan/movement.h"

namespace tileplan {

/// Returns the name of each dimension of `computation` with its size in `tile`.
std::vector<LoopExtent> loop_extents(const Computation& computation, const Tile& tile);

}  // namespace tileplan
