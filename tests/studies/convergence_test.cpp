// SPDX-License-Identifier: Apache-2.0
// This test checks the results of the study `convergence` for made-up courses of searches, and how
// the tasks of a layer share time.
#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <limits>

#include "close_to.h"
#include "convergence_rows.h"
#include "layer_search.h"
#include "tileplan/error.h"

using namespace tileplan;

namespace {

/// Returns the course of a search with one step per second. Step i has the schedule
/// "<strategy> i", where the first step is 1.
SearchCourse course(const std::string& strategy, const std::vector<double>& seconds,
                    std::uint64_t seed = 1) {
  SearchCourse result{.task = {.strategy = strategy, .seed = seed}, .complete = true};
  for (std::size_t i = 0; i < seconds.size(); ++i)
    result.steps.push_back({.schedule = strategy + ' ' + std::to_string(i + 1),
                            .seconds = seconds[i],
                            .after_seconds = static_cast<double>(i + 1)});
  return result;
}

LayerSearch search(std::vector<SearchCourse> courses) {
  LayerSearch result;
  result.courses = std::move(courses);
  return result;
}

/// Holds the times of the second measurement. In the first one, the search measured too short a
/// time for "a 2".
const std::map<std::string, double> kAgain{
    {"a 2", 1.10}, {"a 4", 1.00}, {"model 1", 1.04}, {"model 2", 1.01}};

LayerResult small_result() {
  const LayerSearch both =
      search({course("model", {1.04, 1.05}), course("a", {2, 1.02, 1.5, 1.00, 1.2})});
  return *result_of(convergence_rows("layer", both, kAgain));
}

}  // namespace

TEST_CASE("convergence: what a search reached is judged by its second measurement") {
  const LayerResult result = small_result();
  CHECK(result.best_seconds == 1);
  CHECK(result.best_schedule == "a 4");
  REQUIRE(result.strategies.size() == 2);
  const StrategyResult& a = result.strategies[1];
  // The first time of "a 2", 1.02, seems to reach 98 % of the best speed. The second time, 1.10,
  // shows that it reaches only 91 %.
  CHECK(a.good->measurements == 4);
  CHECK(a.very_good->seconds == 4);
  CHECK(a.measurements == 5);
  CHECK(a.share == close_to(1));
}

TEST_CASE(
    "convergence: the model's ten are chosen from by its second measurement, its search is not") {
  const LayerResult result = small_result();
  CHECK(*result.model_top == close_to(1 / 1.01));
  const StrategyResult& model = result.strategies[0];
  CHECK(*model.share == close_to(1 / 1.04));
  CHECK(model.good->measurements == 1);
  CHECK_FALSE(model.very_good.has_value());
}

TEST_CASE("convergence: a seed that never was good counts as infinite in the median") {
  const std::map<std::string, double> again{{"b 1", 1.0}, {"b 2", 1.5}};
  const auto efforts = [&](const std::vector<SearchCourse>& courses) {
    return result_of(convergence_rows("layer", search(courses), again))->strategies[0].good;
  };
  const SearchCourse good = course("b", {1});
  SearchCourse late = course("b", {9, 1}, 2), never = course("b", {9, 1.5}, 3);
  late.steps[0].schedule = never.steps[0].schedule = "slow";
  late.steps[1].schedule = "b 1";
  CHECK(efforts({good, late, never})->measurements == 2);
  never.task.seed = 2;
  CHECK_FALSE(efforts({good, never}).has_value());
}

TEST_CASE(
    "convergence: finalists are what was near the best, each search's last, the model's ten") {
  const double inf = std::numeric_limits<double>::infinity();
  const LayerSearch both = search({course("model", {3, inf, 1.2}),
                                   course("a", {2, 1.09, 1.5, 1.3, 1.4, 1.0, 1.01, 1.02, 1.03}),
                                   course("failed", {inf})});
  CHECK(convergence_finalists(both) ==
        std::vector<std::string>{"model 1", "model 3", "a 2", "a 6", "a 7", "a 8"});
}

TEST_CASE("convergence: rows are read back as they were written") {
  const LayerSearch one = search({course("a", {2, 1})});
  std::vector<ConvergenceRow> rows = convergence_rows("m1n2k3", one, {{"a 2", 1.25}});
  rows[0].schedule = "[T(2,k), V(k)] \"x\"";
  const std::string table = "# head\n" + convergence_columns() + to_csv(rows);
  const std::vector<ConvergenceRow> read = parse_convergence_csv(table, "file");
  REQUIRE(read.size() == 2);
  CHECK(to_csv(read) == to_csv(rows));
  CHECK(*read[1].again == 1.25);
  CHECK_FALSE(read[0].again.has_value());
  CHECK_THROWS_WITH_AS(parse_convergence_csv("# head\na,b\n", "file"),
                       doctest::Contains("file: has other columns; must be layer,"), Error);
  CHECK_THROWS_AS(parse_convergence_csv(table + "a,b,x,1,1,1,1,1,1,1,s\n", "file"), Error);
}

TEST_CASE("convergence: over the layers the worst counts, and one without an answer is never") {
  LayerResult other = small_result();
  other.layer = "other";
  other.strategies[1].good.reset();
  other.model_top = 0.9;
  const std::string text = overall_text({small_result(), other});
  CHECK(text.find("0.945 of the best schedule known at the median, 0.900 at worst; 98 % on 1 of 2 "
                  "layers") != std::string::npos);
  CHECK(text.find("1 of 2           - (-)") != std::string::npos);
  CHECK(layer_text(other).find("layer") == std::string::npos);
  other.model_top.reset();
  CHECK(overall_text({other}).find("the model's") == std::string::npos);
  CHECK(layer_text(other).find("the model's") == std::string::npos);
}

TEST_CASE("convergence: the course over two layers is the median of their shares") {
  std::vector<ConvergenceRow> rows =
      convergence_rows("one", search({course("a", {2, 1})}), {{"a 2", 1.0}});
  for (const ConvergenceRow& row :
       convergence_rows("two", search({course("a", {1, 1, 0.5})}), {{"a 3", 0.5}}))
    rows.push_back(row);
  const std::vector<CoursePoint> points = course_of(rows, "a");
  REQUIRE(points.size() == 3);
  CHECK(points[0].share == close_to(0.5));
  CHECK(points[1].share == close_to(0.75));
  CHECK(points[2].share == close_to(1));
  const std::string svg = convergence_svg("both", rows);
  CHECK(svg.find("share of the best time known") != std::string::npos);
  CHECK(svg.find(">a</text>") != std::string::npos);
}

namespace {

/// Simulates tasks that take `seconds` each. Only tasks advance the clock, and interrupted tasks
/// can continue. Returns the tasks in the order of their turns, followed by the completed tasks.
std::vector<std::string> dealt(std::vector<double> seconds, double deadline) {
  double now = 0;
  std::vector<std::string> log, complete;
  std::deque<std::size_t> tasks;
  for (std::size_t i = 0; i < seconds.size(); ++i) tasks.push_back(i);
  deal_time(
      tasks, deadline, [&] { return now; }, [] { return false; },
      [&](std::size_t i, double end) {
        log.push_back(std::to_string(i));
        const double spent = std::min(seconds[i], end - now);
        now += spent;
        seconds[i] -= spent;
        if (seconds[i] > 0) return false;
        complete.push_back(std::to_string(i) + " complete");
        return true;
      });
  log.insert(log.end(), complete.begin(), complete.end());
  return log;
}

}  // namespace

TEST_CASE("search: what short searches leave is dealt to those that were cut") {
  using Log = std::vector<std::string>;
  // Each task gets 4 of 12 seconds. Task 0 is interrupted after 4 of its 7 seconds. The other tasks
  // use only 2 of their 8 seconds.
  CHECK(dealt({7, 1, 1}, 12) == Log{"0", "1", "2", "0", "1 complete", "2 complete", "0 complete"});
  // Two tasks are interrupted after 2 of 3 seconds. They share the remaining 3 of 8 seconds.
  CHECK(dealt({3, 3, 1, 0}, 8) ==
        Log{"0", "1", "2", "3", "0", "1", "2 complete", "3 complete", "0 complete", "1 complete"});
  CHECK(dealt({9, 9}, 4) == Log{"0", "1"});
}

TEST_CASE("search: a request to stop ends the dealing of time that has no end") {
  int runs = 0;
  deal_time(
      {0, 1}, std::numeric_limits<double>::infinity(), [] { return 0.0; },
      [&] { return runs == 3; },
      [&](std::size_t, double) {
        ++runs;
        return false;
      });
  CHECK(runs == 3);
}
