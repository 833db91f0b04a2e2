// SPDX-License-Identifier: Apache-2.0
// This file chooses which loops of a schedule the cores share.
#pragma once

#include <vector>

#include "computation.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Returns `schedule` and, for 2 `cores` or more, its parallel variants, whose P loops are
/// collapsed. Three variants are TTile's. In the first the longest run of neighbouring loops
/// without a reduction is parallel. In the others all such loops are parallel, with the reductions
/// between them sunk inside or hoisted outside. Further variants make the outermost loop of one dim
/// parallel. Lambdas are made parallel too when no variant divides its loops evenly. Variants of
/// one iteration are left out. Requires that there is no P loop yet, and that U and V are
/// innermost.
std::vector<Schedule> with_parallel_forms(const Computation& computation, const Schedule& schedule,
                                          int cores);

}  // namespace tileplan
