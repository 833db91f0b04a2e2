// SPDX-License-Identifier: Apache-2.0
// compile() for callers that compile many schedules of one problem.
#pragma once

#include "computation.h"
#include "tileplan/kernel.h"

namespace tileplan {

/// compile(plan, 0), without reading the problem's relations again, which takes nine tenths of its
/// time. Requires: `computation` is in the dims of the schedule (ComputationVariants::of).
Kernel compile_read(const Plan& plan, const Computation& computation);

}  // namespace tileplan
