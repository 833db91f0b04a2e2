// SPDX-License-Identifier: Apache-2.0
// Measures workloads on a machine that other programs share. Samples of the workloads alternate,
// and each lies between two probes of the cores.
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
  /// If not empty, puts the caches into the state of the regime before each timed run.
  std::function<void()> prepare = nullptr;
};

struct RunnerOptions {
  /// The budget includes waits for a quiet core. Measuring may end earlier.
  double budget_seconds = 3;
  /// A workload is done after this many kept samples. The 95 % confidence interval of the median of
  /// 9 samples is the 2nd to the 8th.
  int enough = 9;
  /// A sample waits at most this long for a quiet core. Other programs often run for seconds.
  double patience_seconds = 0.25;
  std::uint64_t seed = 1;  ///< The order of each round is random.
  /// If this returns true before a sample, the measurement ends. The function may be empty.
  std::function<bool()> stop = nullptr;
};

/// Holds the tools to measure and wait. The sentinel remembers the best rates across measurements.
struct Instruments {
  Clock clock;
  Sentinel sentinel;
  std::function<void(double seconds)> pause;
  /// Returns the total seconds that the watched threads have waited for busy cores.
  Clock queue = [] { return 0.0; };
};

/// Makes the instruments of this host, warmed up, for the calling thread or its team of `threads`.
Instruments make_instruments(Isa isa, int threads = 1);

/// Holds one sample: executions of a workload between two probes. All times are in seconds.
struct Sample {
  double elapsed = 0;  ///< One execution took this time.
  /// At the fastest clock, one execution would take this time (Sentinel::clock_share).
  double seconds = 0;
  double stretch = 0;  ///< All executions between the probes took this time.
  TeamRates before, after;
  double queue_share = 0;  ///< The threads waited for cores during this share of `stretch`.
  double spent = 0;        ///< The sample took this time, including the probes and the untimed run.
  /// The threads hardly waited, and the cores were quiet by the final best rates.
  bool kept = false;
};

/// Holds the samples of one workload, in the order taken.
struct Series {
  std::vector<Sample> samples;

  std::vector<double> kept_seconds() const;
  /// Returns the median and its 95 % confidence interval for the kept samples, or for all samples
  /// if none was kept (then Measurement::kept is 0). Returns nothing when there is no sample.
  std::optional<Measurement> measurement() const;
};

struct RunnerResult {
  std::vector<Series> series;  ///< The order is that of the workloads.
  double seconds = 0;          ///< Waiting is included here.
  double waiting_seconds = 0;  ///< Samples that were not kept count as waiting.
};

/// Returns the workloads that the next round samples, given the series so far. None ends the
/// measurement.
using NextRound = std::function<std::vector<std::size_t>(const std::vector<Series>&)>;

/// Takes one sample of each workload in shuffled rounds until `next` names none, the budget is over
/// or `options.stop` returns true. Sample::kept is set before each call of `next`.
RunnerResult measure_rounds(const std::vector<Workload>& workloads, Instruments& instruments,
                            const RunnerOptions& options, const NextRound& next);

/// Measures in rounds of all unfinished workloads until each has enough kept samples.
RunnerResult measure_interleaved(const std::vector<Workload>& workloads, Instruments& instruments,
                                 const RunnerOptions& options = {});

/// With fewer kept pairs there is no ratio, since the median has no 95 % confidence interval then.
constexpr int kFewestPairs = 6;

/// Samples the two workloads in turns until `options.enough` pairs (at least `kFewestPairs`) are
/// kept or the budget is over. A pair is kept if all three probes before, between and after its
/// samples were quiet.
PairedResult measure_pair(const Workload& first, const Workload& second, Instruments& instruments,
                          const RunnerOptions& options = {});

}  // namespace tileplan
