// SPDX-License-Identifier: Apache-2.0
// This test checks the order and the end of runs and the kept samples, on simulated cores.
#include "runner.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "close_to.h"
#include "fake_machine.h"

using namespace tileplan;

namespace {

/// Returns a slowness of 1.7 in the intervals 0, 2, 4, ... of `length` seconds, and of 1 in others.
std::function<double(double)> bimodal(double length) {
  return [length](double now) { return std::fmod(now, 2 * length) < length ? 1.7 : 1.0; };
}

double median_of(const RunnerResult& result, std::size_t i) {
  REQUIRE(result.series[i].measurement());
  return result.series[i].measurement()->median_seconds;
}

/// Probes `machine` at full speed three times, makes it slow for good, and returns its instruments.
Instruments disturbed_instruments(FakeMachine& machine) {
  Instruments instruments = machine.instruments();
  for (int i = 0; i < 3; ++i) instruments.sentinel.probe();
  machine.slowness = [](double) { return 1.7; };
  return instruments;
}

}  // namespace

TEST_CASE("runner: each sample is two warm runs and timed runs of 100 us between two probes") {
  struct Case {
    double seconds;
    int enough;
    const char* calls;
  };
  // Three runs determine how long a run takes: a cold one and two that agree. Each sample begins
  // with two untimed runs that agree, followed by one run of 1 ms or four runs of 30 us.
  for (const auto& [seconds, enough, calls] :
       {Case{1e-3, 2, ".aaaaaa..aaa."}, Case{30e-6, 1, ".aaaaaaaaa."}}) {
    FakeMachine machine;
    Instruments instruments = machine.instruments();
    const auto result =
        measure_interleaved({machine.workload('a', seconds)}, instruments, {.enough = enough});
    CHECK(machine.calls == calls);
    CHECK(result.series[0].samples.size() == static_cast<std::size_t>(enough));
    CHECK(median_of(result, 0) == close_to(seconds));
  }
}

TEST_CASE("runner: work is warm when a run is no faster than the one before") {
  FakeMachine machine;
  Instruments instruments = machine.instruments();
  int runs = 0;  // Each run loads a part of the data that the other workload evicted.
  const auto warming = [&] { machine.spend(1e-3 * std::max(1, 5 - runs++)); };
  const auto evicting = [&] {
    runs = 0;
    machine.spend(1e-3);
  };
  const auto result =
      measure_interleaved({{.run = warming}, {.run = evicting}}, instruments, {.enough = 2});
  for (const Sample& sample : result.series[0].samples) CHECK(sample.elapsed == close_to(1e-3));
}

TEST_CASE("runner: work of 0.1 s and more is not run twice for one sample") {
  FakeMachine machine;
  Instruments instruments = machine.instruments();
  measure_interleaved({machine.workload('a', 0.2)}, instruments, {.enough = 2});
  CHECK(machine.calls == ".aa..a.");
}

TEST_CASE("runner: work too short for the clock is repeated, but not for ever") {
  FakeMachine machine;
  Instruments instruments = machine.instruments();
  int runs = 0;
  measure_interleaved({{.run = [&] { ++runs; }}}, instruments, {.enough = 1});
  CHECK(runs == 1'000'005);
}

TEST_CASE(
    "runner: all workloads have their turn in each round; later rounds are shuffled by the seed") {
  const auto order = [](std::uint64_t seed) {
    FakeMachine machine;
    Instruments instruments = machine.instruments();
    std::vector<Workload> workloads;
    for (const char letter : {'a', 'b', 'c', 'd'})
      workloads.push_back(machine.workload(letter, 1e-3));
    measure_interleaved(workloads, instruments, {.enough = 9, .seed = seed});
    std::string turns;
    for (const char call : machine.calls)
      if (call != '.' && (turns.empty() || turns.back() != call)) turns += call;
    return turns;
  };
  const std::string turns = order(1);
  CHECK(turns.substr(0, 4) == "abcd");
  for (const char letter : {'a', 'b', 'c', 'd'})
    // If a workload has two turns in succession, its letter counts once.
    CHECK(std::count(turns.begin(), turns.end(), letter) >= 7);
  CHECK(turns == order(1));
  CHECK(turns != order(2));
}

TEST_CASE(
    "runner: samples of the slow mode are dropped, also those taken before the fast one was "
    "known") {
  FakeMachine machine;
  machine.slowness = bimodal(0.05);
  Instruments instruments = machine.instruments();
  const auto result = measure_interleaved(
      {machine.workload('a', 1e-3), machine.workload('b', 2e-3)}, instruments, {.enough = 9});
  for (std::size_t i = 0; i < 2; ++i) {
    const Measurement measurement = result.series[i].measurement().value();
    CHECK(measurement.kept >= 9);
    // Samples that were taken before the cores first ran fast are not kept.
    CHECK(measurement.samples > measurement.kept);
    CHECK(measurement.median_seconds == close_to(1e-3 * static_cast<double>(i + 1)));
    CHECK(measurement.high_seconds < 1.2e-3 * static_cast<double>(i + 1));
  }
}

TEST_CASE(
    "runner: a clock that moves in steps is not a disturbance, and times are at the fastest") {
  FakeMachine machine;
  machine.slowness = [](double now) { return std::fmod(now, 0.1) < 0.07 ? 1.18 : 1.0; };
  Instruments instruments = machine.instruments();
  const RunnerResult result =
      measure_interleaved({machine.workload('a', 1e-3), machine.workload('b', 1.1e-3)}, instruments,
                          {.budget_seconds = 3, .enough = 20});
  CHECK(median_of(result, 0) == close_to(1e-3).epsilon(0.005));
  CHECK(median_of(result, 1) == close_to(1.1e-3).epsilon(0.005));
  CHECK(result.series[0].measurement()->kept == 20);
  CHECK(machine.paused == 0);
}

/// Measures on `machine`, which is slow for 0.1 s, and checks that the runner pauses meanwhile.
RunnerResult waited_out(FakeMachine& machine) {
  Instruments instruments = machine.instruments();
  RunnerResult result =
      measure_interleaved({machine.workload('a', 1e-3)}, instruments, {.enough = 30});
  CHECK(machine.paused > 0.07);
  CHECK(result.waiting_seconds >= machine.paused);
  // At most two samples were taken while the machine was slow.
  CHECK(result.series[0].samples.size() <= 32);
  return result;
}

TEST_CASE("runner: waits for a quiet core, and says how long") {
  FakeMachine machine;
  machine.slowness = [](double now) { return now > 0.02 && now < 0.12 ? 1.7 : 1.0; };
  const RunnerResult result = waited_out(machine);
  CHECK(result.waiting_seconds < 0.11);
}

TEST_CASE(
    "runner: a core that never becomes quiet costs the budget and no more, and keeps nothing") {
  FakeMachine machine;
  Instruments instruments = disturbed_instruments(machine);
  const auto result =
      measure_interleaved({machine.workload('a', 1e-3)}, instruments, {.budget_seconds = 2});
  CHECK(result.seconds < 2.02);
  CHECK(result.waiting_seconds > 1.8);
  const Measurement measurement = result.series[0].measurement().value();
  CHECK(measurement.kept == 0);
  CHECK(measurement.samples >= 7);  // The runner takes one sample per 0.25 s of waiting.
  CHECK(measurement.median_seconds == close_to(1.7e-3));
}

TEST_CASE("runner: if waiting takes the whole budget, one disturbed sample is taken") {
  FakeMachine machine;
  Instruments instruments = disturbed_instruments(machine);
  const RunnerOptions options = {.budget_seconds = 0.2};
  const Measurement alone = measure_alone(machine.workload('a', 1e-3), instruments, 0.2);
  CHECK(alone.kept == 0);
  CHECK(alone.samples == 1);
  const auto result = measure_interleaved(
      {machine.workload('a', 1e-3), machine.workload('b', 1e-3)}, instruments, options);
  CHECK(result.series[0].samples.size() == 1);
  CHECK(result.series[1].samples.empty());
  CHECK(result.seconds < 0.22);
  const auto stopped =
      measure_interleaved({machine.workload('a', 1e-3)}, instruments,
                          {.budget_seconds = 0.2, .stop = [&] { return machine.paused > 0.5; }});
  CHECK(stopped.series[0].samples.empty());
}

TEST_CASE("runner: a sample that waited for its core is dropped though both probes were quiet") {
  FakeMachine machine;
  Instruments instruments = machine.instruments();
  int runs = 0;
  const Workload work = {.run = [&] {
    machine.spend(1e-3);
    if (++runs == 9) {  // Another program takes the core for 3 ms during the second sample.
      machine.now += 3e-3;
      machine.queued += 3e-3;
    }
  }};
  const auto result = measure_interleaved({work}, instruments, {.enough = 3});
  const std::vector<Sample>& samples = result.series[0].samples;
  REQUIRE(samples.size() == 4);
  CHECK(samples[1].seconds == close_to(4e-3));
  CHECK(samples[1].queue_share == close_to(0.75));
  CHECK_FALSE(samples[1].kept);
  CHECK(result.series[0].measurement()->high_seconds == close_to(1e-3));
  // The sample that waited is lost: two probes of 60 us, two untimed runs and a timed run.
  CHECK(samples[1].spent == close_to(6.12e-3));
  CHECK(machine.paused == 0);
  CHECK(result.waiting_seconds == close_to(6.12e-3));
}

TEST_CASE(
    "runner: when the budget is short, the first workloads are measured and the others are not") {
  FakeMachine machine;
  Instruments instruments = machine.instruments();
  std::vector<Workload> workloads;
  for (const char letter : {'a', 'b', 'c', 'd'}) workloads.push_back(machine.workload(letter, 1.0));
  const auto result = measure_interleaved(workloads, instruments, {.budget_seconds = 3});
  CHECK(result.series[0].measurement());
  CHECK(result.series[1].measurement());
  CHECK_FALSE(result.series[2].measurement());
  CHECK_FALSE(result.series[3].measurement());
}

TEST_CASE("runner: a long sample may begin at one clock and end at another, a short one may not") {
  for (const double seconds : {1e-3, 20e-3}) {
    FakeMachine machine;
    machine.slowness = [&](double now) {
      return std::fmod(now, 1.4 * seconds) < 0.7 * seconds ? 1.05 : 1.0;
    };
    Instruments instruments = machine.instruments();
    for (int i = 0; i < 1000; ++i) instruments.sentinel.probe();
    const RunnerResult result = measure_interleaved({machine.workload('a', seconds)}, instruments,
                                                    {.budget_seconds = 40 * seconds});
    const std::vector<Sample>& samples = result.series[0].samples;
    const auto moved = std::count_if(samples.begin(), samples.end(), [](const Sample& sample) {
      return sample.before[0].flops != sample.after[0].flops;
    });
    CAPTURE(seconds);
    CHECK(moved > 0);
    for (const Sample& sample : samples)
      if (sample.before[0].flops != sample.after[0].flops) CHECK(sample.kept == (seconds > 5e-3));
  }
}

TEST_CASE("runner: waits for a quiet second core as for the first") {
  FakeMachine machine;
  machine.second_slowness = [](double now) { return now > 0.02 && now < 0.12 ? 1.7 : 1.0; };
  const RunnerResult result = waited_out(machine);
  CHECK(result.series[0].measurement()->high_seconds == close_to(1e-3));
}

TEST_CASE("runner: cores that are disturbed in turns give the times of when neither was") {
  FakeMachine machine;
  machine.slowness = [](double now) { return std::fmod(now, 0.3) < 0.1 ? 1.7 : 1.0; };
  machine.second_slowness = [](double now) {
    const double since = std::fmod(now, 0.3);
    // The clock of the second core is 5 % slower.
    return since >= 0.1 && since < 0.2 ? 1.4 : 1.05;
  };
  Instruments instruments = machine.instruments();
  const auto result = measure_interleaved({machine.workload('a', 1e-3)}, instruments,
                                          {.budget_seconds = 10, .enough = 40});
  const Measurement measured = result.series[0].measurement().value();
  CHECK(measured.kept >= 40);
  CHECK(measured.samples > measured.kept);
  CHECK(measured.low_seconds == close_to(1.05e-3));
  CHECK(measured.high_seconds == close_to(1.05e-3));
}

TEST_CASE("runner: nothing to measure returns at once") {
  FakeMachine machine;
  Instruments instruments = machine.instruments();
  CHECK(measure_interleaved({}, instruments).seconds == 0);
}

TEST_CASE("pair: first and second alternate, three probes around them") {
  FakeMachine machine;
  Instruments instruments = machine.instruments();
  const PairedResult result = measure_pair(machine.workload('a', 1e-3), machine.workload('b', 2e-3),
                                           instruments, {.enough = 6});
  CHECK(machine.calls.substr(0, 15) == ".aaaaaa.bbbbbb.");
  CHECK(machine.calls.substr(15, 9) == ".aaa.bbb.");
  CHECK(result.kept == 6);
  CHECK(result.ratio.value().median == close_to(2));
  CHECK(result.disturbed.empty());
  CHECK(result.first.value().median_seconds == close_to(1e-3));
  CHECK(result.second.value().peak_flops == result.peak_flops);
}

TEST_CASE("pair: spikes, lucky shots and a bimodal machine leave the ratio where it is") {
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  FakeMachine machine;
  machine.slowness = bimodal(0.3);
  Instruments instruments = machine.instruments();
  const auto noisy = [&](double seconds) {
    return Workload{.run = [&, seconds] {
      const double luck = uniform(random);
      const double noise = luck < 0.1 ? 3e-3 : luck < 0.15 ? -0.3e-3 : 1e-5 * uniform(random);
      machine.spend(seconds + noise);
    }};
  };
  const PairedResult result =
      measure_pair(noisy(1e-3), noisy(1.3e-3), instruments, {.budget_seconds = 10, .enough = 41});
  REQUIRE(result.ratio);
  CHECK(result.kept >= 41);
  CHECK(result.ratio->median == close_to(1.3).epsilon(0.02));
  CHECK(result.ratio->low <= result.ratio->median);
  CHECK(result.ratio->high >= result.ratio->median);
  CHECK(result.first->median_seconds == close_to(1e-3).epsilon(0.02));
}

TEST_CASE(
    "pair: a pair of which one half was disturbed is dropped as a whole, whichever core it was") {
  FakeMachine machine;
  bool is_second = false;
  SUBCASE("the first") {}
  SUBCASE("the second") { is_second = true; }
  double slow_from = std::numeric_limits<double>::infinity();
  (is_second ? machine.second_slowness : machine.slowness) = [&](double now) {
    return now >= slow_from && now < slow_from + 5.15e-3 ? 1.7 : 1.0;
  };
  Instruments instruments = machine.instruments();
  int runs = 0;
  const Workload second = {.run = [&] {
    // Runs 7 to 9 are the second half of the second pair. The slow interval covers these runs and
    // the probe after them.
    if (++runs == 7) slow_from = machine.now;
    machine.spend(1e-3);
  }};
  const PairedResult result =
      measure_pair(machine.workload('a', 1e-3), second, instruments, {.enough = 6});
  CHECK(result.pairs == 7);
  CHECK(result.kept == 6);
  CHECK(result.first.value().kept == 6);
  CHECK(result.second.value().kept == 6);
  CHECK(result.ratio.value().high == close_to(1));
  CHECK(machine.paused == 0);
  // Three probes of 60 us and six runs are lost. Some of them take 1.7 times as long.
  CHECK(result.waiting_seconds > 6.18e-3);
  CHECK(result.waiting_seconds < 1.7 * 6.18e-3);
}

TEST_CASE("pair: nothing is waiting where all is quiet") {
  FakeMachine machine;
  Instruments instruments = machine.instruments();
  const PairedResult result =
      measure_pair(machine.workload('a', 1e-3), machine.workload('b', 2e-3), instruments);
  CHECK(result.seconds > 0.03);
  CHECK(result.waiting_seconds == 0);
}

TEST_CASE("pair: too few quiet pairs give no ratio but the reason") {
  FakeMachine machine;
  Instruments instruments = disturbed_instruments(machine);
  const PairedResult result = measure_pair(machine.workload('a', 1e-3), machine.workload('b', 1e-3),
                                           instruments, {.budget_seconds = 1});
  CHECK_FALSE(result.ratio);
  CHECK(result.disturbed == "disturbed: 0 of " + std::to_string(result.pairs) +
                                " pairs had a quiet core; at least 6 are needed");
  CHECK(result.first.value().kept == 0);
}
