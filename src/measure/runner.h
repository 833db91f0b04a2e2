// SPDX-License-Identifier: Apache-2.0
// Measures workloads on a shared machine: interleaved, each sample between two probes.
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

struct Workload {
  /// Executes the work once. The first call, which is not timed, makes the caches hot.
  std::function<void()> run;
  /// Puts the caches into the state of the regime before each timed run, unless it is empty.
  std::function<void()> prepare = nullptr;
};

struct RunnerOptions {
  /// The budget includes waits for a quiet core. Less is spent when all have enough.
  double budget_seconds = 3;
  /// A workload is done after so many kept samples. The 95 % interval of 9 is the 2nd to the 8th.
  int enough = 9;
  /// A sample waits so long at most for a quiet core. Disturbances last seconds.
  double patience_seconds = 0.25;
  std::uint64_t seed = 1;  ///< It shuffles each round.
  /// Ends the measurement when it returns true before a sample. It may be empty.
  std::function<bool()> stop = nullptr;
};

/// Holds what measures and waits. The sentinel remembers the best rates across measurements.
struct Instruments {
  Clock clock;
  Sentinel sentinel;
  std::function<void(double seconds)> pause;
  /// Returns the seconds, added up, that the watched threads have waited for cores in use.
  Clock queue = [] { return 0.0; };
};

/// Makes the instruments of this host, warmed up, for the calling thread or its team of `threads`.
Instruments make_instruments(Isa isa, int threads = 1);

/// Holds one timed stretch of a workload between two probes. All times are in seconds.
struct Sample {
  double elapsed = 0;  ///< One execution took this time.
  double seconds = 0;  ///< It would have taken this at the fastest clock (Sentinel::clock_share).
  double stretch = 0;  ///< All executions between the probes took this time.
  TeamRates before, after;
  double queue_share = 0;  ///< The threads waited for cores in this share of the stretch.
  double spent = 0;        ///< The probes and the untimed run are included.
  bool kept = false;       ///< It hardly waited, and the cores were quiet by the final best rates.
};

/// Holds the samples of one workload, in the order taken.
struct Series {
  std::vector<Sample> samples;

  std::vector<double> kept_seconds() const;
  /// Returns the median and 95 % interval of the kept samples, or of all samples when none was kept
  /// (then `kept` is 0). Returns nothing when there is no sample.
  std::optional<Measurement> measurement() const;
};

struct RunnerResult {
  std::vector<Series> series;  ///< They are in the order of the workloads.
  double seconds = 0;          ///< Waiting is included.
  double waiting_seconds = 0;  ///< Samples that were not kept are included.
};

/// Returns the workloads that the next round samples, given the series so far. None ends it.
using NextRound = std::function<std::vector<std::size_t>(const std::vector<Series>&)>;

/// Takes one sample of each workload in shuffled rounds until `next` names none, the budget is over
/// or `options.stop` returns true. Sample::kept is set before each call of `next`.
RunnerResult measure_rounds(const std::vector<Workload>& workloads, Instruments& instruments,
                            const RunnerOptions& options, const NextRound& next);

/// Measures in such rounds until each workload has enough kept samples.
RunnerResult measure_interleaved(const std::vector<Workload>& workloads, Instruments& instruments,
                                 const RunnerOptions& options = {});

/// Compares two workloads by pairs of adjacent samples.
struct PairedResult {
  std::optional<MedianInterval> ratio;       ///< It is second / first when enough pairs were kept.
  std::string disturbed;                     ///< It says why there is no ratio.
  std::optional<Measurement> first, second;  ///< All pairs count when none was kept.
  int pairs = 0, kept = 0;
  double seconds = 0, waiting_seconds = 0;  ///< Pairs that were not kept count as waiting.
  double peak_flops = 0;  ///< One core does so much in f32 at the clock that times are scaled to.
};

/// No ratio is given for fewer kept pairs, since the median has no 95 % interval then.
constexpr int kFewestPairs = 6;

/// Samples the two workloads in turns until `options.enough` pairs (at least `kFewestPairs`) are
/// kept or the budget is over. The probes around and within a kept pair were quiet.
PairedResult measure_pair(const Workload& first, const Workload& second, Instruments& instruments,
                          const RunnerOptions& options = {});

}  // namespace tileplan
