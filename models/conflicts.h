// SPDX-License-Identifier: Apache-2.0
// Counts lines that come again because the pixels of a register tile crowd in few sets of the
// innermost cache. models/README.md eq. (A).
#pragma once

#include "nest.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Returns the lines that register tiles of `nest` fetch again into L1 because their pixels crowd
/// in too few of its sets. Each overflowing pixel line comes anew in every reduction step instead
/// of once per line. Example: 14 pixels, 4096 bytes apart, overflow 64 sets of 8 ways by 6 lines.
double conflict_lines(const Computation& computation, const Nest& nest, const TensorLayout& input,
                      const CacheLevel& l1);

}  // namespace tileplan
