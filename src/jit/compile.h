// SPDX-License-Identifier: Apache-2.0
// This compile() is for callers that compile many schedules of one problem.
#pragma once

#include "computation.h"
#include "tileplan/kernel.h"

namespace tileplan {

/// Does what compile(plan, 0) does, but does not read the problem's relations again, which takes
/// nine tenths of its time. Requires: `computation` is in the dims of the schedule
/// (ComputationVariants::of).
Kernel compile_read(const Plan& plan, const Computation& computation);

}  // namespace tileplan
