// SPDX-License-Identifier: Apache-2.0
// Cycles of short calls, from samples between two probes of the core.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "timer.h"

namespace tileplan {

class GatedTimer {
 public:
  using Call = std::function<void()>;

  /// `flops_per_cycle`: what the multiply-add loop of `probe` does in a cycle of an undisturbed
  /// core; it turns seconds into cycles. Probes until the core had time to speed up.
  GatedTimer(Clock clock, const Probe& probe, double flops_per_cycle);

  /// Median cycles of one call of each of `calls`, which take turns inside every sample, so that
  /// their differences see the same disturbances. Nothing when fewer than half of `samples` were
  /// undisturbed in twice as many attempts.
  std::optional<std::vector<double>> cycles(const std::vector<Call>& calls, int samples);

  /// Cycles per second at the fastest clock seen.
  double hertz() const { return sentinel_.best().flops / flops_per_cycle_; }

 private:
  double seconds(const Call& call, int repeats) const;
  int repeats(const Call& call) const;

  Clock clock_;
  Sentinel sentinel_;
  double flops_per_cycle_;
};

}  // namespace tileplan
