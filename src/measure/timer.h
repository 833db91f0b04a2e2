// SPDX-License-Identifier: Apache-2.0
// Declares the clock, the probes that tell whether the cores are undisturbed, and pinning.
#pragma once

#include <sched.h>

#include <array>
#include <functional>
#include <map>
#include <vector>

#include "tileplan/machine.h"

namespace tileplan {

/// Returns the seconds since a fixed moment. Tests replace it.
using Clock = std::function<double()>;

Clock steady_clock();

/// Returns a clock of the time that the calling thread waits for a core in use. It stands still
/// when the thread has ended or the kernel has no schedstat. Any one thread may read it.
Clock queue_clock();

/// Holds the rates of one core at one moment.
struct Rates {
  double flops = 0;             ///< The rate of f32 multiply-adds in registers counts 2 flop each.
  double bytes_per_second = 0;  ///< Vectors are loaded from a buffer in the second-level cache.
  double loading_flops = 0;     ///< Loads feed these multiply-adds. It is 0 when not probed.
  int core = 0;                 ///< It is 0 when only the calling thread is watched.
};

/// Holds the rates of all watched cores, one per thread, in the order of the cores.
using TeamRates = std::vector<Rates>;

/// Runs the probe loops once, about 30 us each, and returns their rates.
using Probe = std::function<Rates()>;

using TeamProbe = std::function<TeamRates()>;

/// Assembles the three loops for `isa`. The buffer has `l2_bytes`, which should be a quarter of the
/// cache or 256 KiB. Throws Error when this CPU lacks `isa`.
Probe make_probe(Isa isa, Clock clock = steady_clock(), std::size_t l2_bytes = 256 << 10);

/// Returns the best flop/s of the multiply-add loop over `seconds`, the peak of a core that was
/// undisturbed once. Throws Error when this CPU lacks `isa`.
double measure_peak_flops(Isa isa, ElementType type = ElementType::f32, double seconds = 0.05);

/// Holds the highest rates seen, in descending order and then zeros.
using HighestRates = std::array<double, 3>;

/// Judges the probes of one core by its third best rates, since one or two lucky probes must not
/// condemn the rest. docs/experiments.md has the measurements for the four limits.
class BestRates {
 public:
  /// Another thread is on the core below this share of the best multiply-add rate.
  static constexpr double kQuietFlops = 0.8;
  /// A neighbour evicts the cache below this share of the best cache rate per multiply-add.
  static constexpr double kQuietBandwidth = 0.71;
  /// The core issues too little below this share of the best rate with loads per multiply-add.
  static constexpr double kQuietLoading = 0.93;
  /// Multiply-add rates before and after a sample that differ by less come from one clock.
  static constexpr double kSameClock = 0.02;

  void remember(const Rates& rates);

  /// Returns the third highest rates so far: the lowest while fewer were seen, 0 at first.
  Rates best() const;

  /// Returns whether the core seems undisturbed. The best rates may still rise: ask again later.
  bool is_quiet(const Rates& rates) const;
  /// Returns whether the core was undisturbed and at one clock between two probes.
  bool is_quiet(const Rates& before, const Rates& after) const;

 private:
  HighestRates flops_{}, bytes_per_second_{}, loading_flops_{};
};

/// Watches the cores of a team or thread, and judges each by its own best rates.
class Sentinel {
 public:
  explicit Sentinel(Probe probe)
      : Sentinel([probe = std::move(probe)] { return TeamRates{probe()}; }) {}
  explicit Sentinel(TeamProbe probe) : probe_(std::move(probe)) {}

  TeamRates probe();

  /// Returns BestRates::best of the slowest core, which sets the time of equal parts; 0 at first.
  Rates best() const;

  /// Returns whether each core was quiet and had one thread, since two on one core take turns.
  bool is_quiet(const TeamRates& rates) const;
  /// Returns whether the cores were undisturbed, the same and each at one clock between two probes.
  bool is_quiet(const TeamRates& before, const TeamRates& after) const;

  /// Returns the slowest core's clock between two probes as a share of its fastest, at most 1. It
  /// scales seconds to the fastest clock, but waits for memory do not follow the clock.
  double clock_share(const TeamRates& before, const TeamRates& after) const;

 private:
  TeamProbe probe_;
  std::map<int, BestRates> cores_;
  TeamRates last_;
};

/// Pins the calling thread, and those that it starts, to one core during its lifetime.
class PinnedThread {
 public:
  /// Throws Error when `core` is not one the thread may use.
  explicit PinnedThread(int core = sched_getcpu());
  ~PinnedThread();
  PinnedThread(const PinnedThread&) = delete;
  PinnedThread& operator=(const PinnedThread&) = delete;

 private:
  cpu_set_t before_;
};

}  // namespace tileplan
