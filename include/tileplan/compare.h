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
  double low = 0, high = 0;  ///< Give the ends of the interval, two order statistics of the sample.
  /// Gives the probability that the interval covers the median. It is below 0.95 for small samples.
  double confidence = 0;
};

/// Holds a comparison of two kernels, whose samples were taken in pairs, one right after the other.
struct PairedResult {
  /// Holds the median of second time / first time, or nothing if too few pairs were kept.
  std::optional<MedianInterval> ratio;
  std::string disturbed;  ///< Gives the reason why `ratio` is missing, or is empty.
  /// Hold the times of the kept pairs, or of all pairs if none was kept.
  std::optional<Measurement> first, second;
  int pairs = 0, kept = 0;  ///< Count all pairs and the kept ones.
  double seconds = 0;       ///< Gives the duration of the comparison.
  /// Gives the part of `seconds` that went into waits and into pairs that were not kept.
  double waiting_seconds = 0;
  /// Gives the flop/s that one core reaches in f32 at the fastest clock that several probes saw.
  double peak_flops = 0;
};

struct CompareOptions {
  /// Limits the time for each other kernel, in seconds, including waits for a quiet core.
  double budget_seconds = 2;
  Regime regime = Regime::hot;
  std::uint64_t seed = 1;  ///< Seeds the random operands.
  /// Limits the number of kept pairs. A limit below 6, the fewest pairs that give a ratio, counts
  /// as 6. With 41 pairs, the 95 % interval of the median reaches from the 14th to the 28th ratio
  /// in ascending order.
  int pairs = 41;
};

/// Measures `first` in pairs with each of `others`, on equal operands. Each ratio is the time of
/// the other kernel divided by the time of `first`. Requires that all kernels have the same
/// problem, epilogue and threads. Throws Error when the budget is not positive and finite, and when
/// the operands do not fit into this machine's memory.
std::vector<PairedResult> compare(const Kernel& first, const std::vector<Kernel>& others,
                                  const CompareOptions& options = {});

/// Returns the peak of one core in operations per second, counting two per multiply-add, for
/// tensors of `types`. The peak is the best rate that a loop of independent multiply-add
/// instructions reached in the samples that started within `seconds`, of which there is at least
/// one. Throws Error when this CPU lacks `isa`, and when accumulator_of() or AMX refuses the types.
double measure_peak_flops(Isa isa, const TensorTypes& types = {}, double seconds = 0.05);

}  // namespace tileplan
