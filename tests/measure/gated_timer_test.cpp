// SPDX-License-Identifier: Apache-2.0
// This test checks the cycles that GatedTimer measures on a simulated core, the repeated results
// that CycleFloor accepts, the rounds in which disturbed measurements are repeated, and the refusal
// of tables that lack too many rates.
#include "gated_timer.h"

#include <doctest/doctest.h>

#include <cmath>

#include "calibrate_kernels.h"
#include "close_to.h"
#include "error_of.h"

using namespace tileplan;

namespace {

constexpr double kPeak = 64e9;         // The simulated core executes at most this many flop/s.
constexpr double kFlopsPerCycle = 64;  // At the peak rate, this number gives a clock of 1 GHz.

/// Simulates a core on which calls take a given number of cycles. The fastest clock is 1 GHz.
struct Core {
  double now = 0;
  double share = 1;        ///< The clock runs at this share of 1 GHz.
  bool is_shared = false;  ///< If true, another thread runs on the core during every second probe.
  int probes = 0;

  Clock clock() {
    return [this] { return now; };
  }
  Probe probe() {
    return [this] {
      // While another thread runs, a probe gets this share of the core.
      constexpr double kLeft = 0.5;
      const double rate = kPeak * share * (is_shared && ++probes % 2 == 0 ? kLeft : 1);
      return Rates{.flops = rate, .bytes_per_second = rate};
    };
  }
  GatedTimer::Call call(double cycles) {
    return [this, cycles] { now += cycles / share / 1e9; };
  }
};

std::string refusal(const RoundCounts& rounds) {
  std::vector<std::string> notes;
  return error_of([&] { note_omissions(rounds, 0.95, notes); });
}

}  // namespace

TEST_CASE("gated timer: cycles of each call, whatever the clock is") {
  Core core;
  GatedTimer timer(core.clock(), core.probe(), kFlopsPerCycle);
  for (const double share : {1.0, 0.9}) {
    core.share = share;
    const auto cycles = timer.cycles({core.call(3000), core.call(1000)}, 5);
    REQUIRE(cycles);
    CHECK(cycles->at(0) == close_to(3000));
    CHECK(cycles->at(1) == close_to(1000));
  }
  CHECK(timer.hertz() == close_to(1e9));
}

TEST_CASE("gated timer: nothing when the core is shared around every sample") {
  Core core;
  GatedTimer timer(core.clock(), core.probe(), kFlopsPerCycle);
  core.is_shared = true;
  CHECK_FALSE(timer.cycles({core.call(3000)}, 5));
}

TEST_CASE("floor: settled by two visits that agree, however slow the others were") {
  CycleFloor floor;
  CHECK_FALSE(floor.add({1000, 300}));
  // The results 1000 and 1700 of the first call do not agree.
  CHECK_FALSE(floor.add({1700, 300}));
  CHECK(floor.add({1004, 302}) == std::vector<double>{1002, 300});
}

TEST_CASE("floor: one lucky visit settles nothing") {
  CycleFloor floor;
  CHECK_FALSE(floor.add({1000}));
  CHECK_FALSE(floor.add({900}));
  CHECK(floor.add({901}));
}

TEST_CASE("floor: visits that are too fast are passed over, one in four") {
  CycleFloor floor;
  for (const double cycles : {920.0, 1000.0, 1040.0}) CHECK_FALSE(floor.add({cycles}));
  CHECK(floor.add({1002}) == std::vector<double>{1001});
}

TEST_CASE("rounds: a failed measurement is repeated until it succeeds") {
  std::vector<int> attempts(4);
  const auto second_time = [&](int i) { return ++attempts[static_cast<std::size_t>(i)] > i; };
  const RoundCounts rounds = measure_in_rounds(4, second_time, [] { return true; });
  CHECK(attempts == std::vector<int>{1, 2, 3, 4});
  CHECK(rounds.measured == 4);
  CHECK(rounds.repeated == 2);
  CHECK(rounds.missing == 0);
}

TEST_CASE("rounds: end with the time") {
  int calls = 0;
  const RoundCounts rounds = measure_in_rounds(
      100, [&](int) { return ++calls % 2 == 0; }, [&] { return calls < 10; });
  CHECK(calls == 10);
  CHECK(rounds.measured == 5);
  CHECK(rounds.missing == 95);
}

TEST_CASE("trust: a table with too many holes is refused, the rest is noted") {
  CHECK(
      refusal({.measured = 94, .missing = 6}) ==
      "calibrate: only 94 of 100 microkernels were measured undisturbed in time; at least 95 % are "
      "needed: try again when the machine is quiet, or with more time (without --quick)");
  CHECK(refusal({.measured = 95, .missing = 5}).empty());
  std::vector<std::string> notes;
  note_omissions({.measured = 100}, 0.95, notes);
  CHECK(notes.empty());
  note_omissions({.measured = 99, .repeated = 40, .missing = 1}, 0.95, notes);
  CHECK(notes ==
        std::vector<std::string>{
            "noisy machine: 40 of 100 microkernels were disturbed and measured more than twice",
            "1 microkernels were never undisturbed in time and have no measured rate"});
}
