// SPDX-License-Identifier: Apache-2.0
// This file measures the cycles of short calls. Probes of the core's speed (timer.h) precede and
// follow each sample.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "timer.h"

namespace tileplan {

/// Measures cycles of calls on the core of the calling thread, which should be pinned.
class GatedTimer {
 public:
  using Call = std::function<void()>;

  /// Probes the core for about 10 ms, in which its frequency settles. `flops_per_cycle` is the
  /// number of operations that `probe` executes per cycle on a core that no other program uses.
  GatedTimer(Clock clock, const Probe& probe, double flops_per_cycle);

  /// Returns the median number of cycles of one execution of each of `calls`. A sample times all
  /// calls in turn, and repeats each for about 15 us. Returns nothing when other programs disturbed
  /// the timing: fewer than half of `samples` are valid after twice as many attempts. Requires at
  /// least one call.
  std::optional<std::vector<double>> cycles(const std::vector<Call>& calls, int samples);

  /// Returns the highest frequency of the core, computed from the third-highest rate that the
  /// probes have measured (BestRates).
  double hertz() const { return sentinel_.best().flops / flops_per_cycle_; }

 private:
  double seconds(const Call& call, int repeats) const;
  int repeats(const Call& call) const;

  Clock clock_;
  Sentinel sentinel_;
  double flops_per_cycle_;
};

}  // namespace tileplan
