// SPDX-License-Identifier: Apache-2.0
// This file declares compile_read(), which saves time when many schedules of one problem are
// compiled.
#pragma once

#include "computation.h"
#include "tileplan/kernel.h"

namespace tileplan {

/// Compiles the best candidate of `plan`. `computation` replaces the parsing of plan.problem, which
/// takes nine tenths of the time of compile(plan). Requires: `computation` was read from
/// plan.problem with the dims of the schedule. Throws Error as compile() does.
Kernel compile_read(const Plan& plan, const Computation& computation);

}  // namespace tileplan
