// SPDX-License-Identifier: Apache-2.0
// This file declares functions for measurements of many schedules, beside compile().
#pragma once

#include "computation.h"
#include "tileplan/kernel.h"

namespace tileplan {

/// Compiles the best candidate of `plan`. `computation` replaces the parsing of plan.problem, which
/// takes nine tenths of the time of compile(plan). Requires: `computation` was read from
/// plan.problem with the dimensions of the schedule. Throws Error as compile() does.
Kernel compile_read(const Plan& plan, const Computation& computation);

/// Returns what compile(plan) returns, for runs with other factors (RunTensors::factors).
std::shared_ptr<const CompiledKernel> compile_shared(const Plan& plan);

/// Returns the bytes of machine code in the microkernels of the best candidate of `plan`. The loops
/// around them are data. Throws Error as compile() does.
std::size_t code_bytes(const Plan& plan);

}  // namespace tileplan
