// SPDX-License-Identifier: Apache-2.0
// This file measures workloads on a shared machine. Each sample of a workload lies between two
// probes of the cores.
#include "runner.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <random>
#include <span>
#include <thread>

#include "team.h"
#include "tileplan/error.h"
#include "tileplan/verify.h"
#include "warm_up.h"

namespace tileplan {
namespace {

/// Work that runs longer than this is not warmed up before its samples, because filling the caches
/// takes 4 ms, a small share of its time.
constexpr double kLongRunSeconds = 0.1;
/// Untimed runs end after this time, which fills all caches several times.
constexpr double kMostWarmingSeconds = 20e-3;
/// Short work is repeated until a sample lasts this long, which is much longer than the clock's
/// resolution.
constexpr double kSampleSeconds = 100e-6;
/// While other programs slow the cores, each new probe of the cores follows a pause of this length.
constexpr double kPauseSeconds = 2e-3;
/// Before the first sample, the speed of the cores is probed this many times. These probes take
/// about 6 ms.
constexpr int kFirstProbes = 64;
/// A sample is kept only if its threads waited for cores for at most this share of its time.
constexpr double kMostQueueShare = 0.01;
/// A core may change its frequency during samples longer than this, so the probes before and after
/// may differ.
constexpr double kSeveralClocks = 5e-3;
/// Limits how often work is repeated in a sample. Work with `prepare` has the lower limit, because
/// evicting caches before each run may take milliseconds.
constexpr double kMostRepeats = 1e6, kMostPrepared = 10;

/// Tells when a measurement must end, and adds up the time for which it waited.
struct Budget {
  Budget(const Instruments& instruments, const RunnerOptions& options)
      : clock(instruments.clock),
        stop(options.stop),
        start(clock()),
        deadline(start + options.budget_seconds) {}

  bool is_stopped() const { return stop && stop(); }
  bool is_over() const { return clock() >= deadline || is_stopped(); }

  const Clock& clock;
  const std::function<bool()>& stop;
  double start, deadline;
  double waiting_seconds = 0;
};

/// Holds the rates of all cores just before a sample. `seconds` is the time of one probe, or 0 if
/// another sample includes that time.
struct CoreProbe {
  TeamRates rates;
  double seconds = 0;
};

/// Probes until no other program slows the cores, the patience is exhausted, or the budget ends.
/// Returns the last probe, and adds the time after the first probe to the waiting time of `budget`.
CoreProbe wait_for_quiet(Instruments& instruments, const RunnerOptions& options, Budget& budget) {
  const double begin = instruments.clock();
  TeamRates rates = instruments.sentinel.probe();
  const double start = instruments.clock();
  const double end = std::min(start + options.patience_seconds, budget.deadline);
  double now = start;
  while (!instruments.sentinel.is_quiet(rates) && now < end) {
    instruments.pause(kPauseSeconds);
    // Vector units need time to power up after the pause, so the result of this probe is ignored.
    instruments.sentinel.probe();
    rates = instruments.sentinel.probe();
    now = instruments.clock();
  }
  budget.waiting_seconds += now - start;
  return {.rates = rates, .seconds = start - begin};
}

/// Takes samples of one workload. Each sample repeats the workload the same number of times.
class Sampler {
 public:
  explicit Sampler(const Workload& workload) : workload_(workload) {}

  /// Takes a sample that begins after the probe `before`. The first call also chooses `repeats_`.
  Sample take(Instruments& instruments, const CoreProbe& before) {
    if (repeats_ == 0) choose_repeats(instruments.clock);
    const double start = instruments.clock();
    if (warm_) warm_seconds(instruments.clock);
    const double queued = instruments.queue();
    Sample sample;
    sample.before = before.rates;
    sample.elapsed = time_runs(instruments.clock, repeats_);
    sample.stretch = sample.elapsed * repeats_;
    const double waited = instruments.queue() - queued;
    if (waited > 0) sample.queue_share = waited / sample.stretch;
    sample.after = instruments.sentinel.probe();
    sample.spent = before.seconds + instruments.clock() - start;
    return sample;
  }

 private:
  void choose_repeats(const Clock& clock) {
    double seconds = time_runs(clock, 1);
    warm_ = seconds < kLongRunSeconds;
    // The first run also included page faults and cache misses. Short runs are repeated until they
    // no longer get faster, and the last one determines the number of repetitions.
    if (warm_) seconds = warm_seconds(clock);
    const double most = workload_.prepare ? kMostPrepared : kMostRepeats;
    const double repeats = seconds > 0 ? std::ceil(kSampleSeconds / seconds) : most;
    repeats_ = static_cast<int>(std::clamp(repeats, 1.0, most));
  }

  /// Returns the time of a run when runs no longer get faster, or after kMostWarmingSeconds.
  double warm_seconds(const Clock& clock) const {
    const double end = clock() + kMostWarmingSeconds;
    return warm_up([&] { return time_runs(clock, 1); }, [&] { return clock() < end; });
  }

  double time_runs(const Clock& clock, int repeats) const {
    const int timed_at_once = workload_.prepare ? 1 : repeats;
    double seconds = 0;
    for (int done = 0; done < repeats; done += timed_at_once) {
      if (workload_.prepare) workload_.prepare();
      const double start = clock();
      for (int i = 0; i < timed_at_once; ++i) workload_.run();
      seconds += clock() - start;
    }
    return seconds / repeats;
  }

  const Workload& workload_;
  int repeats_ = 0;
  bool warm_ = true;
};

bool is_quiet(const Sample& sample, const Sentinel& sentinel) {
  if (sample.stretch < kSeveralClocks) return sentinel.is_quiet(sample.before, sample.after);
  return sentinel.is_quiet(sample.before) && sentinel.is_quiet(sample.after);
}

/// Sets Sample::kept and Sample::seconds of all samples. The best rates that are known so far
/// decide which probes were disturbed.
void mark_kept(Series& series, const Sentinel& sentinel) {
  for (Sample& sample : series.samples) {
    sample.kept = sample.queue_share <= kMostQueueShare && is_quiet(sample, sentinel);
    const double share = sample.kept ? sentinel.clock_share(sample.before, sample.after) : 1;
    sample.seconds = share * sample.elapsed;
  }
}

double rejected_seconds(std::span<const Series> series) {
  double seconds = 0;
  for (const Series& one : series)
    for (const Sample& sample : one.samples)
      if (!sample.kept) seconds += sample.spent;
  return seconds;
}

/// Returns the pairs whose samples are both kept. In other pairs, neither sample counts as kept.
/// The best rates that are known so far decide which probes were disturbed.
std::vector<SamplePair> kept_pairs(Series& first, Series& second, const Sentinel& sentinel) {
  mark_kept(first, sentinel);
  mark_kept(second, sentinel);
  std::vector<SamplePair> pairs;
  for (std::size_t i = 0; i < second.samples.size(); ++i) {
    const bool kept = first.samples[i].kept && second.samples[i].kept;
    first.samples[i].kept = second.samples[i].kept = kept;
    if (kept) pairs.push_back({first.samples[i].seconds, second.samples[i].seconds});
  }
  return pairs;
}

}  // namespace

Instruments make_instruments(Isa isa, int threads) {
  const Clock clock = steady_clock();
  const auto team = std::make_shared<Team>(isa, threads, clock);
  Instruments instruments{.clock = clock,
                          .sentinel = Sentinel([team] { return team->probe(); }),
                          .pause =
                              [](double seconds) {
                                std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
                              },
                          .queue = [team] { return team->queued_seconds(); }};
  for (int i = 0; i < kFirstProbes; ++i) instruments.sentinel.probe();
  return instruments;
}

std::vector<double> Series::kept_seconds() const {
  std::vector<double> kept;
  for (const Sample& sample : samples)
    if (sample.kept) kept.push_back(sample.seconds);
  return kept;
}

std::optional<Measurement> Series::measurement() const {
  if (samples.empty()) return std::nullopt;
  std::vector<double> all;
  for (const Sample& sample : samples) all.push_back(sample.seconds);
  const std::vector<double> kept = kept_seconds();
  const MedianInterval interval = median_interval(kept.empty() ? all : kept);
  return Measurement{.median_seconds = interval.median,
                     .low_seconds = interval.low,
                     .high_seconds = interval.high,
                     .kept = static_cast<int>(kept.size()),
                     .samples = static_cast<int>(all.size()),
                     .times = kept};
}

RunnerResult measure_rounds(const std::vector<Workload>& workloads, Instruments& instruments,
                            const RunnerOptions& options, const NextRound& next) {
  RunnerResult result{.series = std::vector<Series>(workloads.size())};
  std::vector<Sampler> samplers(workloads.begin(), workloads.end());
  Budget budget(instruments, options);
  std::mt19937_64 random(options.seed);
  std::vector<std::size_t> round = next(result.series);
  bool has_sample = false;
  while (!round.empty() && !budget.is_over()) {
    for (const std::size_t i : round) {
      const CoreProbe before = wait_for_quiet(instruments, options, budget);
      // A disturbed sample is better than none, so waiting never takes the place of the first one.
      if (has_sample ? budget.is_over() : budget.is_stopped()) break;
      result.series[i].samples.push_back(samplers[i].take(instruments, before));
      has_sample = true;
    }
    for (Series& series : result.series) mark_kept(series, instruments.sentinel);
    round = next(result.series);
    std::shuffle(round.begin(), round.end(), random);
  }
  result.seconds = instruments.clock() - budget.start;
  result.waiting_seconds = budget.waiting_seconds + rejected_seconds(result.series);
  return result;
}

RunnerResult measure_interleaved(const std::vector<Workload>& workloads, Instruments& instruments,
                                 const RunnerOptions& options) {
  return measure_rounds(workloads, instruments, options, [&](const std::vector<Series>& series) {
    std::vector<std::size_t> lacking;
    for (std::size_t i = 0; i < series.size(); ++i)
      if (std::ssize(series[i].kept_seconds()) < options.enough) lacking.push_back(i);
    return lacking;
  });
}

void require_budget(double seconds) {
  if (!(seconds > 0 && std::isfinite(seconds)))
    throw Error("budget: " + std::to_string(seconds) + " seconds; must be positive and finite");
}

Measurement measure_alone(const Workload& workload, Instruments& instruments,
                          double budget_seconds) {
  const RunnerResult result = measure_interleaved(
      {workload}, instruments, {.budget_seconds = budget_seconds, .stop = stop_requested});
  std::optional<Measurement> measured = result.series.front().measurement();
  if (!measured && stop_requested()) throw Error("measure: asked to stop before the first sample");
  if (!measured)
    throw Error("budget: " + std::to_string(budget_seconds) + " seconds; too short for one sample");
  measured->peak_flops = instruments.sentinel.best().flops;
  return *measured;
}

PairedResult measure_pair(const Workload& first, const Workload& second, Instruments& instruments,
                          const RunnerOptions& options) {
  Series series[2];
  Sampler samplers[2] = {Sampler(first), Sampler(second)};
  Budget budget(instruments, options);
  const auto enough = static_cast<std::size_t>(std::max(options.enough, kFewestPairs));
  std::vector<SamplePair> kept;
  while (kept.size() < enough && !budget.is_over()) {
    CoreProbe before = wait_for_quiet(instruments, options, budget);
    for (int side = 0; side < 2; ++side) {
      series[side].samples.push_back(samplers[side].take(instruments, before));
      before = {.rates = series[side].samples.back().after};
    }
    kept = kept_pairs(series[0], series[1], instruments.sentinel);
  }
  PairedResult result;
  result.first = series[0].measurement();
  result.second = series[1].measurement();
  result.pairs = static_cast<int>(series[0].samples.size());
  result.kept = static_cast<int>(kept.size());
  result.seconds = instruments.clock() - budget.start;
  result.waiting_seconds = budget.waiting_seconds + rejected_seconds(series);
  result.peak_flops = instruments.sentinel.best().flops;
  for (auto* const each : {&result.first, &result.second})
    if (*each) (*each)->peak_flops = result.peak_flops;
  if (result.kept >= kFewestPairs)
    result.ratio = median_ratio(kept);
  else
    result.disturbed = "disturbed: " + std::to_string(result.kept) + " of " +
                       std::to_string(result.pairs) + " pairs had a quiet core; at least " +
                       std::to_string(kFewestPairs) + " are needed";
  return result;
}

}  // namespace tileplan
