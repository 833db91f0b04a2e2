// SPDX-License-Identifier: Apache-2.0
// This file simulates cores for tests of measuring, so that these do not depend on the host.
#pragma once

#include <algorithm>
#include <functional>
#include <string>

#include "runner.h"

namespace tileplan {

/// Simulates cores whose slowness depends on the time. No work is executed, but the clock advances
/// by the time that the slowest core would take.
struct FakeMachine {
  double now = 0;
  double paused = 0;
  double queued = 0;
  std::function<double(double)> slowness = [](double) { return 1.0; };
  /// If this function is not null, it gives the slowness of a second core.
  std::function<double(double)> second_slowness = nullptr;
  /// Each run of a workload() appends its letter, and each probe appends a dot.
  std::string calls;

  void spend(double seconds) {
    now += seconds * std::max(slowness(now), second_slowness ? second_slowness(now) : 1);
  }

  Instruments instruments() {
    return {.clock = [this] { return now; },
            .sentinel = Sentinel([this] {
              calls += '.';
              TeamRates rates = {rates_of(0, slowness)};
              if (second_slowness) rates.push_back(rates_of(1, second_slowness));
              spend(60e-6);
              return rates;
            }),
            .pause =
                [this](double seconds) {
                  now += seconds;
                  paused += seconds;
                },
            .queue = [this] { return queued; }};
  }

  Rates rates_of(int core, const std::function<double(double)>& slow) const {
    const double rate = 100 / slow(now);
    return {.flops = rate, .bytes_per_second = rate, .core = core};
  }

  Workload workload(char letter, double seconds) {
    return {.run = [this, letter, seconds] {
      calls += letter;
      spend(seconds);
    }};
  }
};

}  // namespace tileplan
