// SPDX-License-Identifier: Apache-2.0
// The clock, the probes that tell whether the cores are undisturbed, and pinning.
#pragma once

#include <sched.h>

#include <array>
#include <functional>
#include <map>
#include <vector>

#include "tileplan/machine.h"

namespace tileplan {

/// Seconds since a fixed moment. A parameter everywhere, so that tests bring their own.
using Clock = std::function<double()>;

/// The monotonic clock of the system.
Clock steady_clock();

/// Seconds that the thread which made it, ready to run, has waited for a core that others used.
/// Moves only when it gets the core back. Stands still where the kernel does not tell (no
/// schedstat), when the thread has ended, and for other virtual machines on the same core, which
/// only the probes see. Any thread may ask, one at a time.
Clock queue_clock();

/// What one core does per second right now.
struct Rates {
  double flops = 0;             ///< f32 multiply-adds in registers, 2 flop each
  double bytes_per_second = 0;  ///< vector loads from a buffer that fits the second-level cache
  double loading_flops = 0;     ///< multiply-adds fed by loads, as in a microkernel; 0: not probed
  int core = 0;                 ///< its number; 0 when only that of the calling thread is watched
};

/// Of all watched cores at one moment: one per thread, in the order of the cores.
using TeamRates = std::vector<Rates>;

/// Runs the loops once, about 30 us each, and returns their rates.
using Probe = std::function<Rates()>;

/// Runs them on all threads of a team at once.
using TeamProbe = std::function<TeamRates()>;

/// The three loops, assembled for `isa`. The buffer has `l2_bytes`; a quarter of the cache or 256
/// KiB is right. Throws Error when this CPU lacks `isa`.
Probe make_probe(Isa isa, Clock clock = steady_clock(), std::size_t l2_bytes = 256 << 10);

/// Best rate of the multiply-add loop of `isa` over `seconds`: the peak of one core, flop/s, as
/// long as it was undisturbed once. The loop is of f32; vectors of f64 take as long (machine_for).
/// Throws Error when this CPU lacks `isa`.
double peak_flops_measured(Isa isa, ElementType type = ElementType::f32, double seconds = 0.05);

/// Judges the probes of one core by the best rates seen of it. A rate counts as seen only when two
/// others reached it as well, so that one or two lucky shots (an interrupted clock, a burst of
/// turbo) do not condemn the rest. What slows the core from the first probe to the last passes for
/// its speed.
class BestRates {
 public:
  /// Below this share of the best multiply-add rate somebody else is on the core: a busy sibling
  /// takes 40 % (Cascade Lake, EPYC Turin). The clock of an undisturbed core moves less: between 83
  /// and 100 % in steps, tens of milliseconds each (Emerald Rapids), within 2 % (Cascade Lake).
  static constexpr double kQuietFlops = 0.8;
  /// Below this share of the best cache rate, both per multiply-add, somebody thrashes the cache.
  /// Loose, because an undisturbed core has more than one state: the same loop runs at 177 or at
  /// 237 GB/s, 72 to 76 % per multiply-add, and loops over 256 KiB take as long in both; where it
  /// runs at 40 to 70 %, they take up to 1.3 times as long (EPYC Turin). At 86 to 90 GB/s (Cascade
  /// Lake).
  static constexpr double kQuietBandwidth = 0.71;
  /// Below this share of the best rate of multiply-adds with loads, per multiply-add without, the
  /// core issues less than it can: a neighbour that computes little, or a limit on power. Then
  /// multiply-adds alone lose 3 to 6 %, microkernels 25 to 130 %, this loop 20 to 40 %; undisturbed
  /// it moves by 1 % (Sapphire Rapids).
  static constexpr double kQuietLoading = 0.93;
  /// Multiply-add rates before and after a sample that differ by less come from one clock.
  static constexpr double kSameClock = 0.02;

  void remember(const Rates& rates);

  /// Third highest rates so far; the lowest while fewer were seen; 0 at first.
  Rates best() const;

  /// Whether nobody else seems to be on the core or in its cache. The best may still rise: judge
  /// again at the end.
  bool is_quiet(const Rates& rates) const;
  /// Whether what ran between two probes was undisturbed and at one clock.
  bool is_quiet(const Rates& before, const Rates& after) const;

 private:
  static constexpr std::size_t kHeld = 3;
  std::array<double, kHeld> flops_{};             ///< highest first
  std::array<double, kHeld> bytes_per_second_{};  ///< highest first
  std::array<double, kHeld> loading_flops_{};     ///< highest first
};

/// Watches the cores of a team, or the one of the calling thread. Each core is judged by its own
/// best rates: clocks differ between cores.
class Sentinel {
 public:
  /// Of one core.
  explicit Sentinel(Probe probe)
      : Sentinel([probe = std::move(probe)] { return TeamRates{probe()}; }) {}
  explicit Sentinel(TeamProbe probe) : probe_(std::move(probe)) {}

  /// Runs the probe and remembers what it saw.
  TeamRates probe();

  /// BestRates::best of the core that the last probe watched and whose multiply-adds are slowest:
  /// equal parts of a work take as long as on that one. 0 at first.
  Rates best() const;

  /// Whether each core was quiet and had one thread: two on one core take turns, each of them as
  /// fast as alone. The best may still rise: judge again at the end.
  bool is_quiet(const TeamRates& rates) const;
  /// Whether what ran between two probes was undisturbed, on the same cores, each at one clock.
  bool is_quiet(const TeamRates& before, const TeamRates& after) const;

  /// The clock between two probes, that of the slowest core, as a share of the fastest, at most 1.
  /// Seconds times this are seconds at the fastest clock, for all that the cores themselves do;
  /// waiting for memory does not follow their clock and is underestimated by up to 1 -
  /// BestRates::kQuietFlops.
  double clock_share(const TeamRates& before, const TeamRates& after) const;

 private:
  TeamProbe probe_;
  std::map<int, BestRates> cores_;  ///< by number
  TeamRates last_;
};

/// Pins the calling thread to one core as long as it lives, then restores the cores it had. Threads
/// that it starts stay on that core: not for kernels that run on several.
class PinnedThread {
 public:
  /// The core that the thread is on.
  PinnedThread();
  /// Throws Error when `core` is not one the thread may use.
  explicit PinnedThread(int core);
  ~PinnedThread();
  PinnedThread(const PinnedThread&) = delete;
  PinnedThread& operator=(const PinnedThread&) = delete;

  int core() const { return core_; }

 private:
  int core_;
  cpu_set_t before_;
};

}  // namespace tileplan
