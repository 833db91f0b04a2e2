// SPDX-License-Identifier: Apache-2.0
// Draws random schedules as "Autotuning Convolutions is Easier Than You Think" does.
#pragma once

#include <random>
#include <vector>

#include "computation.h"
#include "kernels.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Draws a schedule: a kernel or combination drawn uniformly from `combos`; a random divisor of
/// the first reduction dim as the loop directly above it; then, until everything is covered, a loop
/// drawn uniformly from all pairs (dim, factor that divides what is left of it), the lambda being
/// one more such element. Not uniform over schedules: large factors are favoured. Requires: combos
/// not empty. Layouts and marks are left to the caller.
Schedule random_schedule(const Computation& computation, const std::vector<KernelCombo>& combos,
                         int lanes, std::mt19937& random);

}  // namespace tileplan
