// SPDX-License-Identifier: Apache-2.0
// This file chooses which loops of a schedule the cores share.
#pragma once

#include <vector>

#include "computation.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Returns `schedule` and, for 2 `cores` or more, its different variants with at least two parallel
/// iterations. The first variant makes the longest run of adjacent T loops without a reduction
/// parallel. Two more make all T loops without a reduction parallel and move the reductions, except
/// those around the register tile, outside or inside them. Further variants make only the outermost
/// T loop of one dimension parallel. If every variant leaves more than 1 % of the cores idle,
/// variants are added in which lists of blocks (lambdas) may be parallel too. Requires that no loop
/// is parallel and that U and V are innermost.
std::vector<Schedule> with_parallel_forms(const Computation& computation, const Schedule& schedule,
                                          int cores);

}  // namespace tileplan
