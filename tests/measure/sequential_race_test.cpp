// SPDX-License-Identifier: Apache-2.0
// This test tests which workloads a race drops and when it ends, with made-up noise and a made-up
// clock.
#include "sequential_race.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "close_to.h"

using namespace tileplan;

namespace {

/// Simulates the noise of a shared machine. Some runs take much longer, and some seem too short. If
/// `is_bimodal` is true, the machine also has a slow mode.
struct NoisyMachine {
  explicit NoisyMachine(unsigned seed) : random(seed) {}

  std::mt19937 random;
  double now = 0;
  bool is_bimodal = false;
  std::vector<int> runs;

  double slowness() const { return is_bimodal && std::fmod(now, 0.6) < 0.3 ? 1.7 : 1.0; }
  double uniform() { return std::uniform_real_distribution<double>(0, 1)(random); }

  Instruments instruments() {
    return {.clock = [this] { return now; },
            .sentinel = Sentinel([this] {
              const double rate = 100 / slowness();
              now += 60e-6;
              return Rates{.flops = rate, .bytes_per_second = rate};
            }),
            .pause = [this](double seconds) { now += seconds; }};
  }

  /// Returns a workload whose runs take `seconds` or up to 1 % more. However, one in ten runs takes
  /// 4 times as long, and one in twenty takes a third less. In the slow mode, all take 1.7 times as
  /// long.
  Workload workload(double seconds) {
    const std::size_t place = runs.size();
    runs.push_back(0);
    return {.run = [this, seconds, place] {
      ++runs[place];
      const double luck = uniform();
      const double noise = luck < 0.1 ? 3 : luck < 0.15 ? -0.33 : 0.01 * uniform();
      now += seconds * (1 + noise) * slowness();
    }};
  }

  RaceResult compare(const std::vector<double>& seconds, double budget = 100) {
    std::vector<Workload> workloads;
    workloads.reserve(seconds.size());
    for (const double one : seconds) workloads.push_back(workload(one));
    Instruments probes = instruments();
    return run_race(workloads, probes, {.budget_seconds = budget});
  }
};

std::size_t winner(const RaceResult& result) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < result.runs.series.size(); ++i)
    if (result.runs.series[i].measurement()->median_seconds <
        result.runs.series[best].measurement()->median_seconds)
      best = i;
  return best;
}

std::size_t samples(const RaceResult& result, std::size_t i) {
  return result.runs.series[i].samples.size();
}

Series series_of(const std::vector<double>& seconds) {
  Series series;
  for (const double one : seconds)
    series.samples.push_back({.seconds = one, .before = {}, .after = {}, .kept = true});
  return series;
}

}  // namespace

TEST_CASE("race: the first test drops clearly slower workloads and decides the winner") {
  NoisyMachine machine(std::random_device{}());
  std::vector<double> seconds(8, 2e-3);
  seconds[3] = 1e-3;
  int correct = 0;
  for (int i = 0; i < 20; ++i) {
    const RaceResult result = machine.compare(seconds);
    correct += result.verdict == Verdict::decided && winner(result) == 3 ? 1 : 0;
    CHECK(samples(result, 3) >= 9);
    CHECK(samples(result, 0) <= 25);
  }
  CHECK(correct >= 19);
}

TEST_CASE("race: the test needs at least five samples against five") {
  SequentialRace race(2, 9);
  race.update({series_of({1, 1, 1, 1}), series_of({2, 2, 2, 2})});
  CHECK(race.contenders().size() == 2);
  race.update({series_of({1, 1, 1, 1, 1}), series_of({2, 2, 2, 2, 2})});
  CHECK(race.verdict() == Verdict::decided);
  // The winner remains a contender until it has nine samples.
  CHECK(race.contenders() == std::vector<std::size_t>{0});
}

TEST_CASE("race: tests happen at six counts only, so that frequent tests prove nothing") {
  // The sample 0.9 leaves the test at five samples undecided, and there is no test at six samples.
  const std::vector<double> fast{1, 1, 1, 1, 1, 1}, slow{0.9, 2, 2, 2, 2, 2};
  SequentialRace race(2, 9);
  for (std::ptrdiff_t n = 1; n <= std::ssize(fast); ++n)
    race.update(
        {series_of({fast.begin(), fast.begin() + n}), series_of({slow.begin(), slow.begin() + n})});
  CHECK(race.contenders().size() == 2);
}

TEST_CASE("race: equal workloads are seldom told apart, whatever the noise") {
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  NoisyMachine machine(seed);
  int dropped = 0;
  constexpr int kContests = 400;
  for (int i = 0; i < kContests; ++i)
    dropped += machine.compare({1e-3, 1e-3}).verdict == Verdict::decided ? 1 : 0;
  // Each of the two workloads is wrongly declared faster with a probability of at most 5 %. The
  // limit adds four standard errors of 1.5 % to the sum of 10 %.
  CHECK(dropped <= kContests * 0.16);
}

TEST_CASE("race: a leader that is ahead but for a few spikes is no tie") {
  const std::vector<double> fast{1, 1, 4, 4, 1, 1, 1, 1, 1}, slow{2, 2, 2, 2, 2, 2, 2, 2, 2};
  SequentialRace race(2, 9);
  race.update({series_of(fast), series_of(slow)});
  CHECK(race.verdict() != Verdict::tied);
}

TEST_CASE("race: workloads within 1 % end as a tie, and soon") {
  const std::vector<double> even{1, 1.001, 0.999, 1, 1.001, 0.999, 1, 1, 1};
  SequentialRace race(2, 9);
  race.update({series_of(even), series_of({even.rbegin(), even.rend()})});
  CHECK(race.verdict() == Verdict::tied);
  CHECK(race.contenders().empty());
}

TEST_CASE("race: equal workloads stay undecided after 25 samples or at the budget's end") {
  NoisyMachine machine(7);
  machine.is_bimodal = true;
  // The two times differ by 3 %, but the budget ends before each workload has five samples.
  const RaceResult late = machine.compare({1e-3, 1.03e-3}, 0.012);
  CHECK(late.verdict == Verdict::undecided);
  SequentialRace race(2, 9);
  std::vector<double> first, second;
  for (int i = 0; i < 25; ++i) {
    first.push_back(i % 2 == 0 ? 1.0 : 1.3);
    second.push_back(i % 2 == 0 ? 1.3 : 1.0);
  }
  race.update({series_of(first), series_of(second)});
  CHECK(race.verdict() == Verdict::undecided);
  CHECK(race.contenders().empty());
}

TEST_CASE("race: on a bimodal machine the winner is the one of the fast mode") {
  NoisyMachine machine(std::random_device{}());
  machine.is_bimodal = true;
  int correct = 0;
  for (int i = 0; i < 20; ++i) correct += winner(machine.compare({1.1e-3, 1e-3, 1.2e-3})) == 1;
  CHECK(correct >= 19);
}

TEST_CASE("runner: a workload that is prepared is timed run by run, without the preparation") {
  NoisyMachine machine(1);
  double prepared = 0;
  Workload cold{.run = [&] { machine.now += 30e-6; }};
  cold.prepare = [&] {
    machine.now += 1e-3;
    ++prepared;
  };
  Instruments instruments = machine.instruments();
  const RunnerResult result = measure_interleaved({cold}, instruments, {.enough = 3});
  CHECK(result.series[0].measurement()->median_seconds == close_to(30e-6));
  // The first three runs determine how long a run takes. Each of the three samples has two runs
  // that warm up and four timed ones.
  CHECK(prepared == 3 + 3 * (2 + 4));
}

TEST_CASE("runner: a request to stop ends it with the samples so far") {
  NoisyMachine machine(1);
  Instruments instruments = machine.instruments();
  int asked = 0;
  const RunnerResult result = measure_interleaved(
      {machine.workload(1e-3)}, instruments,
      {.budget_seconds = 100, .enough = 1000, .stop = [&] { return ++asked > 20; }});
  CHECK(result.series[0].measurement());
  CHECK(result.series[0].samples.size() < 30);
}
