// SPDX-License-Identifier: Apache-2.0
// This file draws random schedules as "Autotuning Convolutions is Easier Than You Think" does.
#pragma once

#include <random>

#include "kernels.h"

namespace tileplan {

/// Draws a microkernel from `combos`, then a divisor above 1 of the trips of the first reduction
/// dimension as the trip count of the loop directly around the microkernel. If these trips are 1,
/// this loop is left out. All other loops are drawn uniformly from all pairs (dimension, factor)
/// and the list of blocks (lambda) of the microkernel, until the extents are covered. Requires that
/// `combos` is not empty.
Schedule random_schedule(const Computation& computation, const std::vector<KernelCombo>& combos,
                         int lanes, std::mt19937& random);

}  // namespace tileplan
