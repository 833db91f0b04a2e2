// SPDX-License-Identifier: Apache-2.0
// compare() times kernels of one problem in pairs, so that slow stretches of the machine cancel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tileplan/candidate.h"
#include "tileplan/kernel.h"
#include "tileplan/options.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// A median with a distribution-free confidence interval.
struct MedianInterval {
  double median = 0;
  double low = 0, high = 0;  ///< order statistics of the sample
  double confidence = 0;     ///< coverage of [low, high], which few samples keep below 95 %
};

/// The comparison of two kernels by pairs of adjacent samples.
struct PairedResult {
  std::optional<MedianInterval> ratio;  ///< second / first of the kept pairs, if there are enough
  std::string disturbed;                ///< why there is no ratio; empty when there is one
  std::optional<Measurement> first, second;  ///< over the kept pairs; over all when none was kept
  int pairs = 0, kept = 0;
  double seconds = 0;          ///< time spent
  double waiting_seconds = 0;  ///< of it, time spent waiting or on pairs that were not kept
  double peak_flops = 0;       ///< flop/s in f32 of one core at the clock that times are scaled to
};

struct CompareOptions {
  double budget_seconds = 2;  ///< for each other kernel, with the wait for a quiet core
  Regime regime = Regime::hot;
  std::uint64_t seed = 1;  ///< of the operands
  int pairs = 41;          ///< kept pairs at most; the 95 % interval is the 14th to the 28th
};

/// Times `first` and each of `others` on the same operands. `ratio` is the other's time divided by
/// that of `first`. Requires that all have the problem, epilogue and threads of `first`. Throws
/// Error when the operands do not fit into this machine's memory.
std::vector<PairedResult> compare(const Kernel& first, const std::vector<Kernel>& others,
                                  const CompareOptions& options = {});

/// Returns the best flop/s of a loop of independent multiply-adds over `seconds`, which is the peak
/// of one core that was undisturbed once. Throws Error when this CPU lacks `isa`.
double measure_peak_flops(Isa isa, ElementType type = ElementType::f32, double seconds = 0.05);

}  // namespace tileplan
