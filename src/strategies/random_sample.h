// SPDX-License-Identifier: Apache-2.0
// Draws random schedules as "Autotuning Convolutions is Easier Than You Think" does.
#pragma once

#include <random>

#include "kernels.h"

namespace tileplan {

/// Draws a kernel from `combos`, which is not empty, a divisor of the first reduction dim as the
/// loop above it, then loops uniformly from all pairs (dim, factor) until everything is covered.
Schedule random_schedule(const Computation& computation, const std::vector<KernelCombo>& combos,
                         int lanes, std::mt19937& random);

}  // namespace tileplan
