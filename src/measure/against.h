// SPDX-License-Identifier: Apache-2.0
// Compares the speed of kernels of one problem in pairs, in one process.
#pragma once

#include <vector>

#include "runner.h"
#include "tileplan/kernel.h"
#include "tileplan/plan.h"

namespace tileplan {

/// Times `first` and each of `others` in adjacent pairs on the same operands. The ratio is the time
/// of the other kernel divided by that of `first`. `options` gives the regime, the seed of the
/// operands and the budget for each of `others`. Requires that all kernels have the problem,
/// epilogue and threads of `first`. Throws Error when the operands do not fit in memory.
std::vector<PairedResult> measure_against(const Kernel& first, const std::vector<Kernel>& others,
                                          const Options& options);

}  // namespace tileplan
