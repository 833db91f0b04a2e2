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
  /// Executes the work once. The first, untimed call makes the caches hot.
  std::function<void()> run;
  /// Puts the caches into the state of the regime before each timed run, unless it is empty.
  std::function<void()> prepare = nullptr;
};

struct RunnerOptions {
  /// Seconds for everything, including waits for a quiet core. Less is spent when all have enough.
  double budget_seconds = 3;
  /// A workload is done after so many kept samples. The 95 % interval of 9 is the 2nd to the 8th.
  int enough = 9;
  /// Short work is repeated until a sample lasts so long, which hides the clock's resolution.
  double sample_seconds = 100e-6;
  /// Longest wait for a quiet core before one sample. Disturbances last seconds.
  double patience_seconds = 0.25;
  std::uint64_t seed = 1;  ///< of the order of each round
  /// Called before each sample unless empty; true ends the measurement.
  std::function<bool()> stop = nullptr;
};

/// The clock, the sentinel that remembers the best rates across measurements, and the pause.
struct Instruments {
  Clock clock;
  Sentinel sentinel;
  std::function<void(double seconds)> pause;
  /// Returns the seconds, added up, that the watched threads have waited for cores in use.
  Clock queue = [] { return 0.0; };
};

/// Makes the instruments of this host, warmed up, for the calling thread or its team of `threads`.
Instruments make_instruments(Isa isa, int threads = 1);

/// One timed stretch of a workload.
struct Sample {
  double elapsed = 0;  ///< seconds per execution
  double seconds = 0;  ///< seconds per execution at the fastest clock (Sentinel::clock_share)
  double stretch = 0;  ///< seconds of all executions between the probes
  TeamRates before, after;
  double queue_share = 0;  ///< Instruments::queue during the timed stretch, as a share of it
  double spent = 0;        ///< seconds of its probes, the untimed run and the timed stretch
  bool kept = false;       ///< it hardly waited, and the cores were quiet by the final best rates
};

/// The samples of one workload, in the order taken.
struct Series {
  std::vector<Sample> samples;

  std::vector<double> kept_seconds() const;
  /// Returns the median and 95 % interval of the kept samples, or of all samples when none was kept
  /// (then `kept` is 0). Returns nothing when there is no sample.
  std::optional<Measurement> measurement() const;
};

struct RunnerResult {
  std::vector<Series> series;  ///< order of the workloads
  double seconds = 0;          ///< all that was spent
  double waiting_seconds = 0;  ///< of these, spent waiting or on samples that were not kept
};

/// Returns the workloads that the next round samples, given the series so far; none ends it.
using NextRound = std::function<std::vector<std::size_t>(const std::vector<Series>&)>;

/// Takes one sample of each workload in shuffled rounds until `next` names none, the budget is over
/// or `options.stop` returns true. Sample::kept is set before each call of `next`.
RunnerResult measure_rounds(const std::vector<Workload>& workloads, Instruments& instruments,
                            const RunnerOptions& options, const NextRound& next);

/// Measures in such rounds until each workload has enough kept samples.
RunnerResult measure_interleaved(const std::vector<Workload>& workloads, Instruments& instruments,
                                 const RunnerOptions& options = {});

/// The comparison of two workloads by pairs of adjacent samples.
struct PairedResult {
  std::optional<MedianInterval> ratio;  ///< second / first of the kept pairs, when there are enough
  std::string disturbed;                ///< why there is no ratio; empty when there is one
  std::optional<Measurement> first, second;  ///< over the kept pairs; over all when none was kept
  int pairs = 0, kept = 0;
  double seconds = 0, waiting_seconds = 0;  ///< as in RunnerResult; pairs not kept are waiting
  double peak_flops = 0;  ///< f32, of one core, at the clock that times are scaled to
};

/// No ratio is given for fewer kept pairs, since the median has no 95 % interval then.
constexpr int kFewestPairs = 6;

/// Samples the two workloads in turns until `options.enough` pairs (at least `kFewestPairs`) are
/// kept or the budget is over. The probes around and within a kept pair were quiet.
PairedResult measure_pair(const Workload& first, const Workload& second, Instruments& instruments,
                          const RunnerOptions& options = {});

}  // namespace tileplan
