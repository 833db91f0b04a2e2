// SPDX-License-Identifier: Apache-2.0
// The clock, the probes that tell whether the core is undisturbed, and pinning.
#pragma once

#include <sched.h>

#include <array>
#include <functional>

#include "tileplan/machine.h"

namespace tileplan {

/// Seconds since a fixed moment. A parameter everywhere, so that tests bring their own.
using Clock = std::function<double()>;

/// The monotonic clock of the system.
Clock steady_clock();

/// Seconds that the calling thread, ready to run, has waited for a core that others used. Moves
/// only when it gets the core back. Stands still where the kernel does not tell (no schedstat), and
/// for other virtual machines on the same core, which only the probes see. For the calling thread
/// only.
Clock queue_clock();

/// What one core does per second right now.
struct Rates {
  double flops = 0;             ///< f32 multiply-adds in registers, 2 flop each
  double bytes_per_second = 0;  ///< vector loads from a buffer that fits the second-level cache
  double loading_flops = 0;     ///< multiply-adds fed by loads, as in a microkernel; 0: not probed
};

/// Runs the loops once, about 30 us each, and returns their rates.
using Probe = std::function<Rates()>;

/// The three loops, assembled for `isa`. The buffer has `l2_bytes`; a quarter of the cache or 256
/// KiB is right. Throws Error when this CPU lacks `isa`.
Probe make_probe(Isa isa, Clock clock = steady_clock(), std::size_t l2_bytes = 256 << 10);

/// Best rate of the multiply-add loop of `isa` over `seconds`: the peak of one core, flop/s, as
/// long as it was undisturbed once. The loop is of f32; vectors of f64 take as long (machine_for).
/// Throws Error when this CPU lacks `isa`.
double peak_flops_measured(Isa isa, ElementType type = ElementType::f32, double seconds = 0.05);

/// Judges probes by the best rates seen. A rate counts as seen only when two others reached it as
/// well, so that one or two lucky shots (an interrupted clock, a burst of turbo) do not condemn the
/// rest.
class Sentinel {
 public:
  /// Below this share of the best multiply-add rate somebody else is on the core: a busy sibling
  /// takes 40 % (Cascade Lake, EPYC Turin). The clock of an undisturbed core moves less: between 83
  /// and 100 % in steps, tens of milliseconds each (Emerald Rapids), within 2 % (Cascade Lake).
  static constexpr double kQuietFlops = 0.8;
  /// Below this share of the best cache rate, both per multiply-add, somebody thrashes the cache.
  /// Loose, because an undisturbed core has more than one state: the same loop runs at 197 or at
  /// 258 GB/s for tens of seconds each (EPYC Turin), at 86 to 90 (Cascade Lake).
  static constexpr double kQuietBandwidth = 0.75;
  /// Below this share of the best rate of multiply-adds with loads, per multiply-add without, the
  /// core issues less than it can: a neighbour that computes little, or a limit on power. Then
  /// multiply-adds alone lose 3 to 6 %, microkernels 25 to 130 %, this loop 20 to 40 %; undisturbed
  /// it moves by 1 % (Sapphire Rapids).
  static constexpr double kQuietLoading = 0.93;
  /// Multiply-add rates before and after a sample that differ by less come from one clock.
  static constexpr double kSameClock = 0.02;

  explicit Sentinel(Probe probe) : probe_(std::move(probe)) {}

  /// Runs the probe and remembers what it saw.
  Rates probe();

  /// Third highest rates so far; the lowest while fewer were seen; 0 at first.
  Rates best() const;

  /// Whether nobody else seems to be on the core or in its cache. The best may still rise: judge
  /// again at the end.
  bool is_quiet(const Rates& rates) const;
  /// Whether what ran between two probes was undisturbed and at one clock.
  bool is_quiet(const Rates& before, const Rates& after) const;

  /// The clock between two probes as a share of the fastest, at most 1. Seconds times this are
  /// seconds at the fastest clock, for all that the core itself does; waiting for memory does not
  /// follow its clock and is underestimated by up to 1 - kQuietFlops.
  double clock_share(const Rates& before, const Rates& after) const;

 private:
  static constexpr std::size_t kHeld = 3;
  Probe probe_;
  std::array<double, kHeld> flops_{};             ///< highest first
  std::array<double, kHeld> bytes_per_second_{};  ///< highest first
  std::array<double, kHeld> loading_flops_{};     ///< highest first
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
