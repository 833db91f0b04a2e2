// SPDX-License-Identifier: Apache-2.0
// Measures workloads on a shared machine: interleaved, hot caches, each sample between two probes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "statistics.h"
#include "tileplan/candidate.h"
#include "timer.h"

namespace tileplan {

/// What is measured.
struct Workload {
  /// One execution. Called at least once untimed before it is timed, so that its caches are hot.
  std::function<void()> run;
  /// Called before each timed run unless empty: puts the caches into the state that the regime asks
  /// for. Never timed.
  std::function<void()> prepare = nullptr;
};

struct RunnerOptions {
  /// Seconds for everything, waiting for a quiet core included. Spent sooner when all have enough.
  double budget_seconds = 3;
  /// Kept samples (or pairs) after which a workload is done: 9 give a 95 % interval from the 2nd to
  /// the 8th. More narrow it with the square root.
  int enough = 9;
  /// A sample of short work repeats it until it lasts about so long, so that the clock and the
  /// interrupts of the first cache misses do not count.
  double sample_seconds = 100e-6;
  /// Longest wait for a quiet core before one sample; then it is taken all the same and judged
  /// later. Disturbances last seconds, so larger values spend the budget on fewer, better samples.
  double patience_seconds = 0.25;
  /// Seed of the order of each round.
  std::uint64_t seed = 1;
  /// Asked before each sample unless empty; true ends the measurement with what there is.
  std::function<bool()> stop = nullptr;
};

/// The clock, the sentinel that remembers the best rates across measurements, and how to wait.
struct Instruments {
  Clock clock;
  Sentinel sentinel;
  std::function<void(double seconds)> pause;
  /// Seconds that the watched threads have waited for cores that others used, added up.
  Clock queue = [] { return 0.0; };
};

/// The real ones for `isa`, warmed up for a few milliseconds: they watch the calling thread, or its
/// team when the work runs on several `threads`. For the calling thread only.
Instruments make_instruments(Isa isa, int threads = 1);

/// One timed stretch of a workload.
struct Sample {
  double elapsed = 0;  ///< seconds per execution
  double seconds = 0;  ///< the same at the fastest clock (Sentinel::clock_share), when kept
  double stretch = 0;  ///< seconds of all executions between the probes
  TeamRates before, after;
  double queue_share = 0;  ///< Instruments::queue during the timed stretch, as a share of it
  /// Seconds that it cost: its probes, the untimed run and the timed stretch; not waiting before
  /// it.
  double spent = 0;
  bool kept = false;  ///< hardly waited, and quiet by the best rates of the end
};

/// The samples of one workload, in the order taken.
struct Series {
  std::vector<Sample> samples;

  /// Sample::seconds of those that were kept, in their order.
  std::vector<double> kept_seconds() const;
  /// Median and 95 % interval of the kept samples; of all when none was kept (`kept` = 0 says so).
  /// Nothing when the budget was over before the first sample.
  std::optional<Measurement> measurement() const;
};

struct RunnerResult {
  std::vector<Series> series;  ///< order of the workloads
  double seconds = 0;          ///< all that was spent
  double waiting_seconds = 0;  ///< of these, on a disturbed core: waiting, and samples not kept
};

/// Workloads that the next round samples, of the series so far; none ends the measurement.
using NextRound = std::function<std::vector<std::size_t>(const std::vector<Series>&)>;

/// Rounds of one sample each until `next` names none, the budget is over or `options.stop` says so.
/// Samples are judged before `next` is asked. The first round goes in the order given, the others
/// are shuffled. A sample that has begun is finished: the last may exceed the budget.
RunnerResult measure_rounds(const std::vector<Workload>& workloads, Instruments& instruments,
                            const RunnerOptions& options, const NextRound& next);

/// Takes one sample of each workload per round until each has enough kept samples or the budget is
/// over. The first round goes in the order given (the most promising first), the others are
/// shuffled. A sample that has begun is finished: the last may exceed the budget.
RunnerResult measure_interleaved(const std::vector<Workload>& workloads, Instruments& instruments,
                                 const RunnerOptions& options = {});

/// Two workloads compared, one pair of adjacent samples at a time.
struct PairedResult {
  std::optional<MedianInterval> ratio;  ///< second / first, kept pairs only; nothing when disturbed
  std::string disturbed;                ///< why there is no ratio; empty when there is one
  std::optional<Measurement> first, second;  ///< over the kept pairs; over all when none was kept
  int pairs = 0, kept = 0;
  double seconds = 0, waiting_seconds = 0;  ///< as in RunnerResult; pairs not kept are waiting
  double peak_flops =
      0;  ///< multiply-adds of one core (Sentinel::best) at the clock that times are scaled to, f32
};

/// Kept pairs below which no ratio is given: the fewest for which a 95 % interval of the median
/// exists.
constexpr int kFewestPairs = 6;

/// Samples first, second, first, second ... until `options.enough` pairs (and `kFewestPairs`) are
/// kept or the budget is over. A pair is kept when the probes before, between and after it were
/// quiet.
PairedResult measure_pair(const Workload& first, const Workload& second, Instruments& instruments,
                          const RunnerOptions& options = {});

}  // namespace tileplan
