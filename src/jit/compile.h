// SPDX-License-Identifier: Apache-2.0
// Compiles faster for callers that compile many schedules of one problem.
#pragma once

#include "computation.h"
#include "tileplan/kernel.h"

namespace tileplan {

/// Compiles the best candidate as compile(plan) does, but without reading the problem, which takes
/// nine tenths of the time. Requires: `computation` has the dims of the schedule.
Kernel compile_read(const Plan& plan, const Computation& computation);

}  // namespace tileplan
