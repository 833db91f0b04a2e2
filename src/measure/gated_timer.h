// SPDX-License-Identifier: Apache-2.0
// Measures cycles of short calls. Each sample lies between two probes of the core (timer.h).
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "timer.h"

namespace tileplan {

class GatedTimer {
 public:
  using Call = std::function<void()>;

  /// Probes until the clock of the core has settled. `probe` does `flops_per_cycle` on a quiet
  /// core.
  GatedTimer(Clock clock, const Probe& probe, double flops_per_cycle);

  /// Returns the median cycles of each of `calls`, which take turns inside every sample. Returns
  /// nothing when other programs disturbed so many samples that fewer than half of `samples` are
  /// valid after twice as many attempts.
  std::optional<std::vector<double>> cycles(const std::vector<Call>& calls, int samples);

  /// Returns the cycles per second at the fastest clock seen.
  double hertz() const { return sentinel_.best().flops / flops_per_cycle_; }

 private:
  double seconds(const Call& call, int repeats) const;
  int repeats(const Call& call) const;

  Clock clock_;
  Sentinel sentinel_;
  double flops_per_cycle_;
};

}  // namespace tileplan
