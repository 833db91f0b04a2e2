// SPDX-License-Identifier: Apache-2.0
// Compares kernels of one problem in pairs, in one process.
#pragma once

#include <cstdint>
#include <vector>

#include "runner.h"
#include "tileplan/kernel.h"
#include "tileplan/plan.h"

namespace tileplan {

struct AgainstOptions {
  /// The pairs of each other kernel take so long, including the wait for a quiet core.
  double budget_seconds = 2;
  Regime regime = Regime::hot;
  std::uint64_t seed = 1;  ///< The operands depend on it.
};

/// Times `first` and each of `others` in adjacent pairs on the same operands. The ratio is the time
/// of the other divided by that of `first`. Requires that all have the problem, epilogue and
/// threads of `first`. Throws Error when the operands do not fit in memory.
std::vector<PairedResult> measure_against(const Kernel& first, const std::vector<Kernel>& others,
                                          const AgainstOptions& options);

}  // namespace tileplan
