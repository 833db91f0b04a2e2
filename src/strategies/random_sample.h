// SPDX-License-Identifier: Apache-2.0
// This file draws random schedules as "Autotuning Convolutions is Easier Than You Think" does.
#pragma once

#include <random>

#include "kernels.h"

namespace tileplan {

/// Draws a microkernel from `combos`, then a divisor of the trips of the first reduction dimension,
/// above 1 if possible, as the trip count of the loop directly around the microkernel. All other
/// loops are drawn uniformly from all pairs (dimension, factor) and the list of blocks (lambda) of
/// the microkernel, until the extents are covered. Requires that `combos` is not empty.
Schedule random_schedule(const Computation& computation, const std::vector<KernelCombo>& combos,
                         int lanes, std::mt19937& random);

}  // namespace tileplan
