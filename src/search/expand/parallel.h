// SPDX-License-Identifier: Apache-2.0
// Which loops of a schedule are shared among cores.
#pragma once

#include <vector>

#include "computation.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// `schedule` itself and, for 2 `cores` or more, its parallel forms; P loops are collapsed. TTile's
/// three: the longest run of neighbouring loops without a reduction; all such loops, the reductions
/// between them sunk inside; all of them, the reductions hoisted outside. And the outermost loop of
/// each dim alone. Where no form shares its loops evenly, the same with lambdas shared too. Forms
/// of one iteration are left out; those with fewer than cores leave some idle. Requires: a schedule
/// without P, with its U and V innermost.
std::vector<Schedule> with_parallel_forms(const Computation& computation, const Schedule& schedule,
                                          int cores);

}  // namespace tileplan
