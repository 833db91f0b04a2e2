// SPDX-License-Identifier: Apache-2.0
// Declares the clock, thread pinning, and probes that tell whether other programs slow down a core.
#pragma once

#include <sched.h>

#include <array>
#include <functional>
#include <map>
#include <vector>

#include "tileplan/compare.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Returns the seconds since a fixed moment. Tests replace this clock.
using Clock = std::function<double()>;

Clock steady_clock();

/// Returns a clock that counts the time for which the calling thread waits for a busy core. The
/// clock stands still when the thread has ended or the operating system has no schedstat. Any one
/// thread may read it.
Clock queue_clock();

/// Holds the speed of one core at one moment.
struct Rates {
  double flops = 0;             ///< Multiply-adds of f32 in registers count 2 flop each.
  double bytes_per_second = 0;  ///< This is the load bandwidth of the second-level cache.
  /// These multiply-adds need loads from L1. The rate is 0 when not probed.
  double loading_flops = 0;
  int core = 0;  ///< The core is 0 when only the calling thread is watched.
};

/// Holds the rates of all watched cores, one per thread, in the order of the cores.
using TeamRates = std::vector<Rates>;

/// Runs the probe loops once, for about 30 us each, and returns their rates.
using Probe = std::function<Rates()>;

using TeamProbe = std::function<TeamRates()>;

/// Assembles the three probe loops for `isa`. `l2_bytes` should be a quarter of the second-level
/// cache or 256 KiB. Throws Error when this CPU lacks `isa`.
Probe make_probe(Isa isa, Clock clock = steady_clock(), std::size_t l2_bytes = 256 << 10);

/// Holds the highest rates so far in descending order, then zeros.
using HighestRates = std::array<double, 3>;

/// Compares probes of one core with its third best rates, because one or two probes that were too
/// fast by chance must not reject all others. docs/experiments.md has the measurements for the
/// limits.
class BestRates {
 public:
  /// Below this share of the best multiply-add rate, another thread uses the core.
  static constexpr double kQuietFlops = 0.8;
  /// Below this share of the best ratio of cache bandwidth to multiply-add rate, another program
  /// evicts the cache.
  static constexpr double kQuietBandwidth = 0.71;
  /// Below this share of the best ratio of the rate with loads to the rate without, the core issues
  /// too few instructions.
  static constexpr double kQuietLoading = 0.93;
  /// If the multiply-add rates before and after a sample differ by less, the clock was constant.
  static constexpr double kSameClock = 0.02;

  void remember(const Rates& rates);

  /// Returns the third highest rates so far, the lowest of fewer than three, or 0 without any.
  Rates best() const;

  /// Returns whether no other program seems to slow the core. Later probes may change the answer,
  /// because the best rates may rise.
  bool is_quiet(const Rates& rates) const;
  /// Returns whether the core was quiet at both probes and had the same clock.
  bool is_quiet(const Rates& before, const Rates& after) const;

 private:
  HighestRates flops_{}, bytes_per_second_{}, loading_flops_{};
};

/// Watches the cores of a team or a thread. Each core is compared with its own best rates.
class Sentinel {
 public:
  explicit Sentinel(Probe probe)
      : Sentinel([probe = std::move(probe)] { return TeamRates{probe()}; }) {}
  explicit Sentinel(TeamProbe probe) : probe_(std::move(probe)) {}

  TeamRates probe();

  /// Returns BestRates::best of the slowest core, which determines the time when all cores have
  /// equal work. Returns 0 before the first probe.
  Rates best() const;

  /// Returns whether each core was quiet and ran one thread; two on one core would take turns.
  bool is_quiet(const TeamRates& rates) const;
  /// Returns whether both probes ran on the same cores, each of them quiet and at a constant clock.
  bool is_quiet(const TeamRates& before, const TeamRates& after) const;

  /// Returns the clock of the slowest core between two probes, divided by its highest clock; at
  /// most 1. Multiplied by this share, a time refers to the highest clock, except for waits for
  /// memory.
  double clock_share(const TeamRates& before, const TeamRates& after) const;

 private:
  TeamProbe probe_;
  std::map<int, BestRates> cores_;
  TeamRates last_;
};

/// Pins the calling thread, and those that it starts, to one core during its lifetime.
class PinnedThread {
 public:
  /// Throws Error when the thread may not use `core`.
  explicit PinnedThread(int core = sched_getcpu());
  ~PinnedThread();
  PinnedThread(const PinnedThread&) = delete;
  PinnedThread& operator=(const PinnedThread&) = delete;

 private:
  cpu_set_t before_;
};

}  // namespace tileplan
