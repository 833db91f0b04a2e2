// SPDX-License-Identifier: Apache-2.0
// This file measures workloads on a shared machine. Samples of different workloads alternate, and
// probes of the cores' speed surround each sample.
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
  /// Executes the work once. Before each sample of work shorter than 0.1 s, untimed calls bring the
  /// caches into the state of repeated runs, until a call is about as fast as the one before or 20
  /// ms have passed.
  std::function<void()> run;
  /// If not empty, this function is called before each run, timed or not, and prepares the caches.
  /// Its own time does not count.
  std::function<void()> prepare = nullptr;
};

struct RunnerOptions {
  /// The budget includes the time of waiting until other programs stop. The measurement may end
  /// earlier. If waiting spends the budget before the first sample, this sample is taken all the
  /// same.
  double budget_seconds = 3;
  /// measure_interleaved() ends when each workload has this many kept samples (Sample::kept), and
  /// measure_pair() when this many pairs, at least kFewestPairs, are kept. In a race, each
  /// contender needs this many kept samples, unless the budget is spent or `stop` returns true.
  /// With 9 samples, the 2nd and the 8th smallest bound the 95 % confidence interval of the median.
  int enough = 9;
  /// A sample waits at most this long for other programs, which often run for seconds.
  double patience_seconds = 0.25;
  /// From the second round on, the workloads of a round are measured in an order that is drawn at
  /// random from this seed.
  std::uint64_t seed = 1;
  /// If not empty, this function is called before each sample or pair, and ends measuring by
  /// returning true.
  std::function<bool()> stop = nullptr;
};

/// Holds the tools that measure. The sentinel remembers the best rates of earlier measurements.
struct Instruments {
  Clock clock;
  Sentinel sentinel;
  std::function<void(double seconds)> pause;
  /// Returns the seconds for which the watched threads have waited for cores so far.
  Clock queue = [] { return 0.0; };
};

/// Makes the instruments of this machine for a team of `threads` threads. Probes the cores for
/// about 6 ms, so that the sentinel knows their best rates. Throws Error when this CPU lacks `isa`.
Instruments make_instruments(Isa isa, int threads = 1);

/// Describes executions of a workload between two probes. All times are in seconds.
struct Sample {
  double elapsed = 0;  ///< One execution took this time.
  /// If nothing disturbed the sample, one execution would take this time at the highest frequency
  /// (Sentinel::clock_share). Otherwise this is `elapsed`.
  double seconds = 0;
  double stretch = 0;  ///< All executions together took this time.
  TeamRates before, after;
  double queue_share = 0;  ///< The threads together waited for cores for this share of `stretch`.
  /// The sample took this time, with its probes and the untimed runs before it. A probe between the
  /// two samples of a pair counts for the first sample. Runs that choose the number of repetitions
  /// do not count.
  double spent = 0;
  /// This is true if nothing disturbed the sample: the threads waited for at most 1 % of `stretch`,
  /// and the probes found no other program. If `stretch` is below 5 ms, the probes must also agree
  /// on cores and frequency. measure_pair() keeps both samples of a pair or none.
  bool kept = false;
};

/// Holds the samples of one workload in the order in which they were taken.
struct Series {
  std::vector<Sample> samples;

  std::vector<double> kept_seconds() const;
  /// Returns the median of the kept samples and its 95 % confidence interval. If no sample was
  /// kept, all samples are used and Measurement::kept is 0. Measurement::peak_flops is not set.
  /// Returns nothing when there are no samples.
  std::optional<Measurement> measurement() const;
};

struct RunnerResult {
  std::vector<Series> series;  ///< Series have the order of the workloads.
  double seconds = 0;          ///< The measurement took this time, with waiting.
  double waiting_seconds = 0;  ///< Waiting took this time, with samples that were not kept.
};

/// Returns the workloads to sample in the next round, or none to end the measurement.
using NextRound = std::function<std::vector<std::size_t>(const std::vector<Series>&)>;

/// Takes one sample per round of each workload that `next` names, until `next` names none, the
/// budget is spent or `options.stop` returns true. Sample::kept is up to date in each call of
/// `next`.
RunnerResult measure_rounds(const std::vector<Workload>& workloads, Instruments& instruments,
                            const RunnerOptions& options, const NextRound& next);

/// Samples all unfinished workloads in each round, until each has enough kept samples or measuring
/// ends as in measure_rounds().
RunnerResult measure_interleaved(const std::vector<Workload>& workloads, Instruments& instruments,
                                 const RunnerOptions& options = {});

/// Throws Error unless the budget is positive and finite.
void require_budget(double seconds);

/// Samples `workload` alone, until it has enough kept samples, the budget is spent or the user asks
/// to stop. Requires a budget that require_budget() accepts. Throws Error when measuring ended
/// before the first sample. Without kept samples, Measurement::kept is 0.
Measurement measure_alone(const Workload& workload, Instruments& instruments,
                          double budget_seconds);

/// With fewer pairs, no ratio is returned, because a 95 % confidence interval of a median needs six
/// values.
constexpr int kFewestPairs = 6;

/// Samples both workloads alternately until `options.enough` pairs (at least kFewestPairs) are
/// kept, the budget is spent or `options.stop` returns true. A pair is kept if both of its samples
/// are kept (Sample::kept). The probe between the samples serves both.
PairedResult measure_pair(const Workload& first, const Workload& second, Instruments& instruments,
                          const RunnerOptions& options = {});

}  // namespace tileplan
