// SPDX-License-Identifier: Apache-2.0
// This test runs experiments that compare searches, with predicted times in place of measured ones,
// and checks the tables of speeds.
#include "search_experiments.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "boosted_trees.h"
#include "close_to.h"
#include "contains.h"
#include "cost.h"
#include "error_of.h"
#include "mapped.h"
#include "merge_dims.h"
#include "speed_table.h"
#include "strategy.h"
#include "temporary_folder.h"
#include "tileplan/plan.h"

using namespace tileplan;

namespace {

/// Predicts the times of schedules instead of measuring them, so that the test is fast.
class Formula {
 public:
  Formula(const Problem& problem, const Machine& machine)
      : problem_(problem), machine_(machine), computations_(problem) {}

  double seconds(const std::string& text) const {
    const Schedule schedule = parse_schedule(text);
    return predict(computations_.of(schedule), schedule, machine_).seconds;
  }

  SearchCourse search(const SearchTask& task) const {
    const Computation computation = merge_adjacent_dims(computation_of(problem_));
    const ScheduleSpace space(computation, machine_, [&](const Schedule& schedule) {
      return schedule.in == schedule.out && !schedule.pack_input;
    });
    SearchSession session(
        [&](const std::string& text) {
          return Evaluation{.samples = {seconds(text)}, .failure = ""};
        },
        task.budget, [] { return 0.0; });
    const std::vector<Candidate> ranked = plan(problem_, machine_, {.top = 10}).candidates;
    run_strategy(
        task.strategy,
        {.computation = computation,
         .machine = machine_,
         .space = space,
         .ranked = mapped(ranked, [](const Candidate& one) { return to_string(one.schedule); })},
        session, task.seed);
    SearchCourse course{.task = task, .complete = true};
    for (const Measured& one : session.history())
      course.steps.push_back({.schedule = one.candidate,
                              .seconds = one.mean(),
                              .after_seconds = static_cast<double>(course.steps.size())});
    return course;
  }

 private:
  const Problem& problem_;
  const Machine& machine_;
  ComputationVariants computations_;
};

SearchMeasurements formulas() {
  return {.search =
              [](const Problem& problem, const Machine& machine,
                 const std::vector<SearchTask>& tasks, const LayerSearchOptions&) {
                const Formula formula(problem, machine);
                LayerSearch search;
                for (const SearchTask& task : tasks) search.courses.push_back(formula.search(task));
                return search;
              },
          .again =
              [](const Problem& problem, const Machine& machine,
                 const std::vector<std::string>& schedules, const LayerSearchOptions&) {
                const Formula formula(problem, machine);
                std::map<std::string, double> seconds;
                for (const std::string& one : schedules) seconds[one] = formula.seconds(one);
                return seconds;
              }};
}

std::string run(const SearchExperiment& experiment, const StudyOptions& options) {
  std::string said;
  study_searches(
      experiment, load_machine("xeon-gold-6130"), options,
      [&](const std::string& text) { said += text; }, formulas());
  return said;
}

StudyOptions options(const TemporaryFolder& folder, const char* layer) {
  return {.layers = {parse_problem(layer)},
          .folder = folder / "out",
          .measurements = 80,
          .seeds = 2,
          .version = "test"};
}

/// Returns the strategies that have rows in the file `table`.
std::vector<std::string> strategies_in(const std::string& table) {
  return strategies_of(parse_convergence_csv(content_of(table), table));
}

}  // namespace

TEST_CASE("convergence on a formula: every strategy has rows and a speed, random ones two seeds") {
  const TemporaryFolder folder;
  const std::string said = run(convergence_experiment(), options(folder, "m96n64k64"));
  std::vector<std::string> expected = convergence_experiment().strategies;
  std::erase_if(expected, [](const std::string& name) { return !why_not(name).empty(); });
  CHECK(strategies_in(folder / "out/convergence.csv") == expected);
  CHECK(contains(said, "all 1 layers"));
  CHECK(contains(said, "matrix products: Gop/s, mean (standard deviation) over the seeds\n"));
  const std::vector<ConvergenceRow> rows =
      parse_convergence_csv(content_of(folder / "out/convergence.csv"), "table");
  const auto seeds = [&](const char* name) {
    std::set<std::uint64_t> all;
    for (const ConvergenceRow& row : rows)
      if (row.strategy == name) all.insert(row.seed);
    return all.size();
  };
  CHECK(seeds("opevo") == 2);
  CHECK(seeds("mopt") == 1);
}

TEST_CASE("template on a formula: grid search measures every point, and none is better") {
  const TemporaryFolder folder;
  StudyOptions chosen = options(folder, "mb1ic16ih8oc32oh8kh3ph1");
  chosen.measurements = 200;
  run(template_experiment(), chosen);
  const std::string table = folder / "out/template.csv";
  const std::optional<LayerResult> result =
      result_of(parse_convergence_csv(content_of(table), table));
  REQUIRE(result.has_value());
  const StrategyResult& grid = result->strategies.front();
  REQUIRE(grid.strategy == "template-grid");
  // The coordinates tile_ic, tile_oc, tile_ow and unroll_kw have 5, 2, 4 and 2 values. With tile_ic
  // = 1, both values of unroll_kw give the same schedule, because the inner loop over input
  // channels has one iteration.
  CHECK(grid.measurements == 4 * 2 * 4 * 2 + 2 * 4);
  CHECK(*grid.share == close_to(1));
}

TEST_CASE("strategies of the options replace those of the experiment; unknown ones are refused") {
  const TemporaryFolder folder;
  StudyOptions chosen = options(folder, "m96n64k64");
  chosen.strategies = {"mopt", "ttile"};
  run(convergence_experiment(), chosen);
  CHECK(strategies_in(folder / "out/convergence.csv") == chosen.strategies);
  chosen.strategies = {"luck"};
  CHECK(error_of([&] {
          run(opevo_experiment(), chosen);
        }).starts_with("strategy: 'luck'; must be one of model, "));
}

TEST_CASE("strategies that this build lacks are left out, but refused when they are asked for") {
  if (why_no_trees().empty()) return;
  const TemporaryFolder folder;
  StudyOptions chosen = options(folder, "m96n64k64");
  CHECK(contains(run(opevo_experiment(), chosen), "# without gbt, which needs boosted trees: "));
  chosen.strategies = {"gbt"};
  CHECK(contains(error_of([&] { run(opevo_experiment(), chosen); }), "install libxgboost-dev"));
}

TEST_CASE("speeds: mean and deviation of a sample, and the kinds of problems") {
  const MeanAndDeviation three = mean_and_deviation({1, 2, 6});
  CHECK(three.mean == 3);
  CHECK(*three.deviation == close_to(std::sqrt(7.0)));
  CHECK_FALSE(mean_and_deviation({2}).deviation.has_value());
  CHECK(kind_of(parse_problem("m8n8k8")) == "matrix products");
  CHECK(kind_of(parse_problem("b2m8n8k8ta1")) == "batched matrix products");
  CHECK(kind_of(parse_problem("m1n8k8")) == "reductions");
  CHECK(kind_of(parse_problem("mb1ic8ih8oc8oh8kh3ph1")) == "convolutions");
  CHECK(kind_of(parse_problem("g8mb1ic8ih8oc8oh8kh3ph1")) == "depthwise convolutions");
}

TEST_CASE("speeds: a row per strategy and a column per layer, in 1e9 operations per second") {
  // 2 * 10 * 10 * 10 operations in 1 us are 2e9 per second.
  const LayerResult layer{.layer = "m10n10k10",
                          .strategies = {{.strategy = "a", .finals = {1e-6, 0.5e-6}},
                                         {.strategy = "b", .finals = {2e-6}},
                                         {.strategy = "c"}}};
  const std::string text = speed_text({layer});
  CHECK(contains(text, "m10n10k10\n"));
  CHECK(contains(text, "3.0 (1.4)\n"));
  CHECK(contains(text, "1.0\n"));
  CHECK(contains(text, "-\n"));
}
