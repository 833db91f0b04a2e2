// SPDX-License-Identifier: Apache-2.0
// This file chooses which loops of a schedule the cores share.
#pragma once

#include <vector>

#include "computation.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Returns `schedule` and, for 2 `cores` or more, its parallel variants. The first variant makes
/// the longest run of adjacent loops without a reduction parallel. Two more make all loops without
/// a reduction parallel and move the reductions outside or inside them. Further variants make only
/// the outermost loop of one dimension parallel. Lists of blocks (lambdas) become parallel too when
/// every variant leaves more than 1 % of the cores idle. Requires that no loop is parallel and that
/// U and V are innermost.
std::vector<Schedule> with_parallel_forms(const Computation& computation, const Schedule& schedule,
                                          int cores);

}  // namespace tileplan
