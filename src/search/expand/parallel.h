// SPDX-License-Identifier: Apache-2.0
// This file chooses which loops of a schedule the cores share.
#pragma once

#include <vector>

#include "computation.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Returns `schedule` and, for 2 `cores` or more, its parallel forms, whose P loops are collapsed.
/// Three forms are TTile's: the longest run of neighbouring loops without a reduction is parallel;
/// all such loops are, with the reductions between them sunk inside; all are, with the reductions
/// hoisted outside. In the others the outermost loop of one dim is parallel. Lambdas are shared too
/// where no form shares its loops evenly. Forms of one iteration are left out. Requires: no P loop
/// yet, and U and V innermost.
std::vector<Schedule> with_parallel_forms(const Computation& computation, const Schedule& schedule,
                                          int cores);

}  // namespace tileplan
