// SPDX-License-Identifier: Apache-2.0
// This file declares clocks, thread pinning, and probes that detect when other programs slow down a
// core.
#pragma once

#include <sched.h>

#include <array>
#include <functional>
#include <map>
#include <vector>

#include "tileplan/compare.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Returns the seconds since a fixed moment, or the seconds for which threads have waited for cores
/// (queue_clock()). It is a function object so that tests can pass clocks of their own.
using Clock = std::function<double()>;

Clock steady_clock();

/// Returns a clock that counts the seconds for which the calling thread has waited for a core. The
/// clock stops when this thread ends, and returns 0 on systems without schedstat. One thread at a
/// time may read the clock.
Clock queue_clock();

/// Holds the speed of one core at one moment.
struct Rates {
  double flops = 0;             ///< This is the rate of f32 multiply-adds in registers, in flop/s.
  double bytes_per_second = 0;  ///< This is the bandwidth of loads from the second-level cache.
  /// This is the rate of multiply-adds that load from the L1, in flop/s, or 0 when it was not
  /// measured.
  double loading_flops = 0;
  int core = 0;  ///< This is the number of the core, or 0 when only the calling thread is watched.
};

/// Holds the rates of one core per thread, sorted by core.
using TeamRates = std::vector<Rates>;

/// Times each of the three probe loops for 30 to 60 us, and returns the rates.
using Probe = std::function<Rates()>;

using TeamProbe = std::function<TeamRates()>;

/// Assembles the three probe loops for `isa`. `l2_bytes` should be the smaller of 256 KiB and a
/// quarter of the L2. Throws Error when this CPU lacks `isa`.
Probe make_probe(Isa isa, Clock clock = steady_clock(), std::size_t l2_bytes = 256 << 10);

/// Holds the highest rates so far in descending order; unused elements are 0.
using HighestRates = std::array<double, 3>;

/// Compares probes of one core with the third-highest rates of this core. One or two probes that
/// were too fast by chance must not reject all others. docs/experiments.md justifies the limits.
class BestRates {
 public:
  /// Another thread uses the core if the multiply-add rate is below this share of its best value.
  static constexpr double kQuietFlops = 0.8;
  /// Another program evicts the L2 if bandwidth / flops is below this share of the quotient of the
  /// best rates.
  static constexpr double kQuietBandwidth = 0.71;
  /// Another thread takes issue slots if loading_flops / flops is below this share of the quotient
  /// of the best rates.
  static constexpr double kQuietLoading = 0.93;
  /// The clock was constant if multiply-add rates around a sample differ by at most this share.
  static constexpr double kSameClock = 0.02;

  void remember(const Rates& rates);

  /// Returns the third-highest rates so far (with fewer probes, the lowest), or 0 without probes.
  Rates best() const;

  /// Returns true when no other program seems to slow the core. The answer may change after later
  /// probes, because the best rates may rise.
  bool is_quiet(const Rates& rates) const;
  /// Returns true when the core was quiet in both probes and its frequency differed by at most 2 %.
  bool is_quiet(const Rates& before, const Rates& after) const;

 private:
  HighestRates flops_{}, bytes_per_second_{}, loading_flops_{};
};

/// Watches the cores of a thread or a team. Each core is compared with its own best rates.
class Sentinel {
 public:
  explicit Sentinel(Probe probe)
      : Sentinel([probe = std::move(probe)] { return TeamRates{probe()}; }) {}
  explicit Sentinel(TeamProbe probe) : probe_(std::move(probe)) {}

  TeamRates probe();

  /// Returns the best rates of the slowest core of the last probe. This core determines the time
  /// when all cores have equal work. Returns 0 before the first probe.
  Rates best() const;

  /// Returns true when each core was quiet (BestRates) and ran only one thread of the team.
  bool is_quiet(const TeamRates& rates) const;
  /// Returns true when both probes ran on the same cores, and each core ran only one thread of the
  /// team, was quiet and kept its frequency.
  bool is_quiet(const TeamRates& before, const TeamRates& after) const;

  /// Returns the mean of the lowest `flops` in both probes, divided by those of best(). The
  /// quotient is the slowest core's share of its highest frequency. It is at most 1, and is 1
  /// before the first probe. A time multiplied by this share is the time at the highest frequency,
  /// except for memory stalls.
  double clock_share(const TeamRates& before, const TeamRates& after) const;

 private:
  TeamProbe probe_;
  std::map<int, BestRates> cores_;
  TeamRates last_;
};

/// Pins the calling thread to one core during the lifetime of this object. Threads that this thread
/// starts inherit the core.
class PinnedThread {
 public:
  /// Throws Error when the thread may not run on `core`, or when the cores on which it may run
  /// cannot be read.
  explicit PinnedThread(int core = sched_getcpu());
  ~PinnedThread();
  PinnedThread(const PinnedThread&) = delete;
  PinnedThread& operator=(const PinnedThread&) = delete;

 private:
  cpu_set_t before_;
};

}  // namespace tileplan
