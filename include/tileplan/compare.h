// SPDX-License-Identifier: Apache-2.0
// compare() times kernels of one problem in pairs, so that changes of the machine's speed cancel.
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

/// Holds a median with a distribution-free confidence interval.
struct MedianInterval {
  double median = 0;
  double low = 0, high = 0;  ///< These limits are two order statistics of the sample.
  /// The interval covers the median with this probability, which few samples keep below 95 %.
  double confidence = 0;
};

/// Compares two kernels by pairs of adjacent samples.
struct PairedResult {
  /// This is the median of second time / first time. There is none if too few pairs were kept.
  std::optional<MedianInterval> ratio;
  std::string disturbed;  ///< This text gives the reason why `ratio` is missing, or is empty.
  /// The kept pairs give these times. If none was kept, all pairs do.
  std::optional<Measurement> first, second;
  int pairs = 0, kept = 0;
  double seconds = 0;  ///< The comparison took this time.
  /// This part of `seconds` went into waits and pairs that were not kept.
  double waiting_seconds = 0;
  double peak_flops = 0;  ///< One core reaches at most this many flop/s at the fastest clock seen.
};

struct CompareOptions {
  /// Each other kernel gets this time, which includes waits for a quiet core.
  double budget_seconds = 2;
  Regime regime = Regime::hot;
  std::uint64_t seed = 1;  ///< This seeds the random operands.
  /// At most this many pairs are kept. With 41 pairs, the 95 % interval is the 14th to the 28th.
  int pairs = 41;
};

/// Times `first` and each of `others` on equal operands. Each ratio is the time of the other kernel
/// divided by that of `first`. Requires that all kernels have the same problem, epilogue and
/// threads. Throws Error when the operands do not fit into this machine's memory.
std::vector<PairedResult> compare(const Kernel& first, const std::vector<Kernel>& others,
                                  const CompareOptions& options = {});

/// Returns the peak of one core in operations per second, two per product, for tensors of `types`.
/// It is the best rate of a loop of independent instructions that multiply and add, in several
/// samples during `seconds`. Throws Error when this CPU lacks `isa`.
double measure_peak_flops(Isa isa, const TensorTypes& types = {}, double seconds = 0.05);

}  // namespace tileplan
