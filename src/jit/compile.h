// SPDX-License-Identifier: Apache-2.0
// This compile() is for callers that compile many schedules of one problem.
#pragma once

#include "computation.h"
#include "tileplan/kernel.h"

namespace tileplan {

/// Compiles the best candidate as compile(plan) does, but does not read the problem again, which
/// takes nine tenths of its time. Requires: `computation` has the dims of the schedule.
Kernel compile_read(const Plan& plan, const Computation& computation);

}  // namespace tileplan
