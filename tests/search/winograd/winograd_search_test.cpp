// SPDX-License-Identifier: Apache-2.0
// This test checks bounds, blocks and the choice of Winograd algorithms.
#include "winograd_search.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "tileplan/error.h"
#include "tileplan/plan.h"
#include "winograd_algorithms.h"
#include "winograd_choices.h"

using namespace tileplan;

namespace {

const Problem& layer() {
  static const Problem problem = parse_problem("mb1ic64ih28oc64oh28kh3ph1");
  return problem;
}

Machine machine() {
  Machine one = load_machine("xeon-gold-6130");
  one.cores = 1;
  return one;
}

Plan planned(Algorithm algorithm, Options options = {}) {
  options.algorithm = algorithm;
  return plan(layer(), load_machine("xeon-gold-6130"), options);
}

}  // namespace

TEST_CASE("winograd search: max_error excludes algorithms, and the bound is theirs") {
  const auto& shape = std::get<ConvShape>(layer());
  const auto all = winograd_algorithms(shape, machine(), {.max_error = 1e9});
  CHECK(all.size() == 25);
  const double least = least_relative_error(shape);
  CHECK(least < 1);
  const auto few = winograd_algorithms(shape, machine(), {.max_error = least});
  REQUIRE(few.size() == 1);
  CHECK(few.front().bound.algorithm == "winograd=2x2");
  CHECK(winograd_algorithms(shape, machine(), {.max_error = least / 2}).empty());
  CHECK(std::ranges::is_sorted(all, {}, [](const auto& each) { return each.bound.bound; }));
}

TEST_CASE("winograd search: no choice is predicted below its bound, nor below that of F") {
  // The second machine has two caches. The weights of all groups of the second layer do not fit in
  // the second cache, and the third layer has fewer input channels than a vector has lanes.
  Machine two_caches = machine();
  two_caches.caches.pop_back();
  for (const char* text : {"mb1ic64ih28oc64oh28kh3ph1", "g64mb1ic2048ih28oc2048oh28kh3ph1",
                           "mb1ic3ih112oc64oh112kh3ph1"})
    for (const Machine& on : {machine(), two_caches}) {
      CAPTURE(text);
      const Problem layer = parse_problem(text);
      const auto algorithms =
          winograd_algorithms(std::get<ConvShape>(layer), on, {.max_error = 100});
      for (std::size_t a = 0; a < algorithms.size(); a += 1 + algorithms.size() / 6) {
        const WinogradProblem problem = winograd_problem(layer, algorithms[a].tiles, on);
        const auto choices = winograd_choices(problem, on, 1);
        REQUIRE_FALSE(choices.empty());
        for (std::size_t i = 0; i < choices.size(); i += 1 + choices.size() / 40) {
          Schedule schedule = schedule_of(problem, choices[i], on.vector.lanes, 1);
          schedule.in = schedule.out = Layout::nhwc;
          const double seconds = predict_winograd(problem, schedule, on).seconds;
          CHECK(seconds >= choices[i].least_seconds);
          CHECK(seconds >= algorithms[a].bound.bound);
          CHECK(parse_schedule(to_string(schedule)) == schedule);
        }
      }
    }
}

TEST_CASE("winograd search: the best of all choices is found") {
  WinogradAlgorithm two =
      winograd_algorithms(std::get<ConvShape>(layer()), machine(), {.max_error = 0.95}).front();
  const WinogradProblem problem = winograd_problem(layer(), two.tiles, machine());
  double least = 1;
  for (const WinogradChoice& choice : winograd_choices(problem, machine(), 1)) {
    Schedule schedule = schedule_of(problem, choice, machine().vector.lanes, 1);
    schedule.in = schedule.out = Layout::nhwc;
    least = std::min(least, predict_winograd(problem, schedule, machine()).seconds);
  }
  const Options options{.layout = LayoutChoice::nhwc, .max_error = 0.95};
  CHECK(planned(Algorithm::winograd, options).certificate.optimum <= least * (1 + 1e-9));
}

TEST_CASE("plans with any algorithm keep the best of each") {
  const Plan any = planned(Algorithm::any, {.top = 3});
  std::set<bool> kinds;
  for (const Candidate& each : any.candidates) kinds.insert(each.schedule.winograd.has_value());
  CHECK(kinds.size() == 2);
  CHECK(any.certificate.algorithms.front().algorithm == "direct");
  CHECK(any.certificate.bound <= any.certificate.optimum);
  for (const AlgorithmBound& each : any.certificate.algorithms)
    if (each.optimum > 0) CHECK(each.bound <= each.optimum);
  const Plan direct = planned(Algorithm::direct, {.top = 3});
  CHECK(direct.certificate.algorithms.empty());
  CHECK(any.certificate.algorithms.front().optimum == direct.certificate.optimum);
  CHECK(any.certificate.optimum <= direct.certificate.optimum);
}

TEST_CASE("plans of Winograd schedules alone say which rule excludes them") {
  CHECK(planned(Algorithm::winograd).candidates.front().schedule.winograd.has_value());
  CHECK_THROWS_WITH_AS(
      plan(parse_problem("ic16ih9oc16kh3ph1sh2"), machine(), {.algorithm = Algorithm::winograd}),
      "algorithm: winograd, but the height's stride is 2; must be 1", Error);
  CHECK_THROWS_AS(planned(Algorithm::winograd, {.max_error = 0.1}), Error);
  const Plan direct =
      plan(parse_problem("ic16ih9oc16kh3ph1sh2"), machine(), {.algorithm = Algorithm::any});
  CHECK(std::ranges::any_of(direct.rejected, [](const Rejected& each) {
    return each.reason == "winograd: the height's stride is 2; must be 1";
  }));
}

TEST_CASE("a plan of Winograd schedules is read back equal in every field") {
  const Plan saved = planned(Algorithm::any, {.top = 3});
  const std::string path = "winograd_plan_test.json";
  save_plan(saved, path);
  CHECK(load_plan(path) == saved);
  std::remove(path.c_str());
}
