// SPDX-License-Identifier: Apache-2.0
// This test checks which plans verify() refuses, which candidates it measures, how measuring is
// stopped, and how rejections are counted.
#include "tileplan/verify.h"

#include <doctest/doctest.h>

#include <limits>
#include <set>
#include <string>

#include "error_of.h"
#include "rejections.h"
#include "tileplan/error.h"

namespace tileplan {

namespace {

/// Returns a plan with two candidates, which verify() measures for at most half a second.
Plan small_plan() {
  Plan plan = tileplan::plan(parse_gemm("m8n64k8"), detect_machine(), {.top = 2});
  plan.options.verify = 2;
  plan.options.budget_seconds = 0.5;
  return plan;
}

}  // namespace

TEST_CASE("measure: budgets that are not positive and finite are refused") {
  const Kernel kernel = compile(plan_gemm(parse_gemm("m8n64k8"), detect_machine()));
  for (const double budget : {0.0, -1.0, std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::quiet_NaN()})
    CHECK_THROWS_WITH_AS(measure(kernel, budget), doctest::Contains("must be positive and finite"),
                         Error);
}

TEST_CASE("verify: what plan refuses is refused, and a plan without candidates") {
  Plan plan = small_plan();
  plan.options.verify = -1;
  CHECK(error_of([&] { verify(plan); }) == "options: verify is -1; must be at least 0");
  plan = small_plan();
  plan.options.budget_seconds = std::numeric_limits<double>::quiet_NaN();
  CHECK(error_of([&] { verify(plan); }) ==
        "options: budget_seconds is nan; must be positive and finite");
  plan = small_plan();
  plan.options.verify = 0;
  CHECK(error_of([&] { verify(plan); }) ==
        "verify: 0 candidates to measure (options.verify); must be at least 1");
  plan = small_plan();
  plan.candidates.clear();
  CHECK(error_of([&] { verify(plan); }) ==
        "verify: the plan of m8n64k8 has no candidates; must have one");
}

TEST_CASE("verify: a first candidate that does not cover the problem is a failure like another") {
  Plan plan = small_plan();
  plan.candidates.front().schedule.loops.clear();
  const Plan verified = verify(plan);
  CHECK(verified.candidates.size() == 1);
  REQUIRE(verified.failures.size() == 1);
  CHECK(verified.failures.front().reason == "schedule: V is missing; the last specifier must be V");
}

TEST_CASE(
    "verify: the candidates that are measured are the first of the list without measurements") {
  const Machine machine = detect_machine();
  const auto texts_of = [](const Plan& plan, std::size_t count) {
    std::set<std::string> texts;
    for (std::size_t i = 0; i < count; ++i) texts.insert(to_string(plan.candidates[i].schedule));
    return texts;
  };
  for (const int top : {2, 10}) {
    const Plan listed = plan(parse_gemm("m64n64k64"), machine, {.top = top});
    const Plan verified =
        plan(parse_gemm("m64n64k64"), machine, {.top = top, .verify = 2, .budget_seconds = 0.2});
    CHECK(verified.candidates.size() == listed.candidates.size());
    CHECK(texts_of(verified, 2) == texts_of(listed, 2));
  }
}

TEST_CASE("measuring stops when it is asked to, until that is taken back; no plan of it is kept") {
  const Machine machine = detect_machine();
  const GemmShape shape = parse_gemm("m8n48k8");
  const Options options{.verify = 2, .budget_seconds = 0.5};
  request_stop();
  const Plan stopped = plan_gemm(shape, machine, options);
  CHECK(error_of([&] { measure(compile(stopped), 0.5); }) ==
        "measure: asked to stop before the first sample");
  clear_stop();
  const Plan whole = plan_gemm(shape, machine, options);
  CHECK_FALSE(whole == stopped);
  CHECK(plan_gemm(shape, machine, options) == whole);
}

TEST_CASE("verify: times are added to those of earlier calls") {
  Plan plan = small_plan();
  plan.measure_seconds = 100;
  plan.waiting_seconds = 50;
  plan = verify(plan);
  CHECK(plan.measure_seconds > 100);
  CHECK(plan.waiting_seconds >= 50);
  const double spent = plan.measure_seconds;
  CHECK(verify(plan).measure_seconds == spent);  // No candidate is left to measure.
}

TEST_CASE("reject: reasons are counted, and sorted") {
  Plan plan;
  for (const char* reason : {"late", "early", "late"}) reject(plan, reason);
  CHECK(plan.rejected ==
        std::vector<Rejected>{{.reason = "early", .count = 1}, {.reason = "late", .count = 2}});
}

TEST_CASE("verify: an unmeasured candidate is no winner when all that were measured failed") {
  Plan plan = small_plan();
  plan.candidates.front().schedule.loops.clear();
  plan.options.verify = 1;
  CHECK(error_of([&] { verify(plan); }) ==
        "verify: no candidate of m8n64k8 could be measured; the first failed: schedule: V is "
        "missing; the last specifier must be V");
}

}  // namespace tileplan
