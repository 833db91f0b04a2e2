// SPDX-License-Identifier: Apache-2.0
// Kernels of one problem against each other, paired in one process.
#pragma once

#include <cstdint>
#include <vector>

#include "runner.h"
#include "tileplan/kernel.h"
#include "tileplan/plan.h"

namespace tileplan {

struct AgainstOptions {
  /// Seconds for the pairs of each other kernel, waiting for a quiet core included.
  double budget_seconds = 2;
  Regime regime = Regime::hot;
  /// Of the operands.
  std::uint64_t seed = 1;
  /// Kept pairs at most: the 95 % interval of their median goes from the 14th to the 28th. More
  /// narrow it with the square root.
  int pairs = 41;
};

/// Times `first` against each of `others`, in adjacent pairs on the same operands; the results have
/// the order of `others`. `ratio` = other time / first time: above 1 the first is faster. Requires:
/// all kernels have the problem, the epilogue and the threads of `first`. Throws Error when the
/// operands do not fit in memory.
std::vector<PairedResult> measure_against(const Kernel& first, const std::vector<Kernel>& others,
                                          const AgainstOptions& options);

}  // namespace tileplan
