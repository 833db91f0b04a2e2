// SPDX-License-Identifier: Apache-2.0
// This test checks how many samples a schedule gets, and that repeated requests return the same
// samples.
#include "schedule_evaluator.h"

#include <doctest/doctest.h>

#include <limits>

#include "temporary_folder.h"
#include "tileplan/records.h"

using namespace tileplan;

namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();
constexpr double kFast = 1e-12;  // This time is shorter than that of any schedule.

/// Holds an evaluator with its own records. `measured` counts its measurements.
struct Fixture {
  TemporaryFolder folder;
  Plan ranked = plan(parse_problem("m64n64k64"), detect_machine(), {.top = 2});
  EvaluatorOptions options{.records = folder / "records.db",
                           .version = "test",
                           .clearly_slower = 2,
                           .patience_seconds = 10};
  ScheduleEvaluator evaluator{ranked, options};
  int measured = 0;

  Fixture() {
    evaluator.on_measure = [this](const std::string&) { ++measured; };
  }
  std::vector<double> samples(double best_seconds) {
    return evaluator.evaluate(to_string(ranked.candidates.front().schedule), best_seconds)
        .evaluation.samples;
  }
};

}  // namespace

TEST_CASE(
    "evaluator: one sample of what is clearly slower, all when it matters to another search") {
  Fixture first;
  const std::vector<double> far = first.samples(kFast);
  if (far.empty()) {
    MESSAGE("skipped: no core was quiet");
    return;
  }
  CHECK(far.size() == 1);
  const std::vector<double> near = first.samples(kNone);
  CHECK(first.measured == 2);
  // A request with the same best time gets the same answer, without a new measurement.
  CHECK(first.samples(kFast) == far);
  CHECK(first.samples(kNone) == near);
  CHECK(first.measured == 2);
  CHECK(first.evaluator.seconds_per_measurement() > 0);
  if (near.size() == 3) CHECK(Records(first.options.records).find().size() == 2);
}

TEST_CASE("evaluator: a later one gets the same answers from the records") {
  Fixture first;
  const std::vector<double> far = first.samples(kFast), near = first.samples(kNone);
  if (far.empty() || near.size() < 3) {
    MESSAGE("skipped: no core was quiet");
    return;
  }
  ScheduleEvaluator later(first.ranked, first.options);
  const std::string schedule = to_string(first.ranked.candidates.front().schedule);
  CHECK(later.evaluate(schedule, kFast).evaluation.samples == far);
  CHECK(later.evaluate(schedule).evaluation.samples == near);
  CHECK_FALSE(later.evaluate(schedule).seconds.has_value());
  CHECK(later.seconds_per_measurement() == 0);
}

TEST_CASE("evaluator: what has all samples is not measured again; a failure is a failure") {
  Fixture first;
  const std::vector<double> near = first.samples(kNone);
  if (near.size() == 3) {
    CHECK(first.samples(kFast) == near);
    CHECK(first.measured == 1);
  }
  first.measured = 0;
  for (int i = 0; i < 2; ++i)
    CHECK(first.evaluator.evaluate("[T(3,i)]").evaluation.failure.find('i') != std::string::npos);
  CHECK(first.measured == 1);
}
