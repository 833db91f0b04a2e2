// SPDX-License-Identifier: Apache-2.0
// This file declares functions for measurements of many schedules, beside compile().
#pragma once

#include "computation.h"
#include "tileplan/kernel.h"

namespace tileplan {

/// Compiles the best candidate of `plan`. `computation` replaces the parsing of plan.problem, which
/// takes nine tenths of the time of compile(plan). Requires: `computation` was read from
/// plan.problem with the dimensions of the schedule. Throws Error as compile() does, but does not
/// check the problem and the epilogue.
Kernel compile_read(const Plan& plan, const Computation& computation);

/// Returns the bytes of machine code in the microkernels of the best candidate of `plan`. The loops
/// around them are data. Throws Error as compile() does, but does not check the problem and the
/// epilogue.
std::size_t code_bytes(const Plan& plan);

}  // namespace tileplan
