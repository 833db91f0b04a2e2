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
  /// Seconds for the pairs of each other kernel, including the wait for a quiet core.
  double budget_seconds = 2;
  Regime regime = Regime::hot;
  std::uint64_t seed = 1;  ///< of the operands
  /// Kept pairs at most. Of 41, the 95 % interval of the median goes from the 14th to the 28th.
  int pairs = 41;
};

/// Times `first` and each of `others` in adjacent pairs on the same operands. `ratio` is other /
/// first time. Requires: all have the problem, epilogue and threads of `first`. Throws Error when
/// the operands do not fit in memory.
std::vector<PairedResult> measure_against(const Kernel& first, const std::vector<Kernel>& others,
                                          const AgainstOptions& options);

}  // namespace tileplan
