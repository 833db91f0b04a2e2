// SPDX-License-Identifier: Apache-2.0
// The pixels of a register tile may conflict in the innermost cache: models/README.md eq. (A).
#pragma once

#include "nest.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Returns the number of cache lines that register tiles of `nest` load again because their pixels
/// share too few sets of the L1 cache. Each overflowing cache line misses in every reduction step
/// instead of once. Example: 14 pixels, 4096 bytes apart, overflow 64 sets of 8 ways by 6 cache
/// lines.
double conflict_lines(const Computation& computation, const Nest& nest, const TensorLayout& input,
                      const CacheLevel& l1);

}  // namespace tileplan
