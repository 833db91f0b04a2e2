// SPDX-License-Identifier: Apache-2.0
// This file runs searches, measures their best schedules again, and writes tables and plots.
#include "search_experiments.h"

#include <algorithm>
#include <set>

#include "files.h"
#include "remeasure_finalists.h"
#include "speed_table.h"
#include "strategy.h"
#include "text_table.h"
#include "tileplan/error.h"
#include "tileplan/verify.h"

namespace tileplan {

namespace {

/// Schedules slower than the best by this factor get one sample only. Only droplet search needs
/// more samples, and only for faster schedules.
constexpr double kClearlySlower = 2;

constexpr double kFinalShare = 0.1;

/// Returns the experiment with the strategies of `options`, if any. Throws Error if this build
/// lacks one of them. Strategies of the experiment that this build lacks are left out, and named in
/// the comment lines `left_out`.
SearchExperiment chosen(SearchExperiment experiment, const StudyOptions& options,
                        std::string& left_out) {
  for (const std::string& name : options.strategies) {
    const std::string why = why_not(name);
    if (!why.empty()) throw Error(joined("strategy: '", name, "' needs ", why));
  }
  if (!options.strategies.empty()) experiment.strategies = options.strategies;
  std::erase_if(experiment.strategies, [&](const std::string& name) {
    const std::string why = why_not(name);
    if (!why.empty()) left_out += joined("# without ", name, ", which needs ", why, '\n');
    return !why.empty();
  });
  return experiment;
}

std::vector<SearchTask> tasks_of(const SearchExperiment& experiment, const StudyOptions& options) {
  const SearchBudget budget{.measurements = options.measurements, .seconds = kInfinite};
  std::vector<SearchTask> tasks;
  for (int round = 0; round < options.seeds; ++round)
    for (const std::string& strategy : experiment.strategies)
      if (round == 0 || is_random(strategy))
        tasks.push_back({.strategy = strategy,
                         .seed = options.seed + static_cast<std::uint64_t>(round),
                         .budget = budget,
                         .round = round});
  return tasks;
}

/// Returns true when the rows of one layer contain `searches` complete searches and schedules that
/// were measured again.
bool is_done(const std::vector<ConvergenceRow>& rows, std::size_t searches) {
  std::set<std::pair<std::string, std::uint64_t>> complete;
  for (const ConvergenceRow& row : rows)
    if (row.complete) complete.emplace(row.strategy, row.seed);
  return complete.size() == searches && result_of(rows).has_value();
}

class SearchStudyRun {
 public:
  SearchStudyRun(const SearchExperiment& experiment, const Machine& machine,
                 const StudyOptions& options, const Print& print,
                 const SearchMeasurements& measurements)
      : experiment_(chosen(experiment, options, left_out_)),
        machine_(machine),
        options_(options),
        measurements_(measurements),
        tasks_(tasks_of(experiment_, options)),
        folder_(options, table_name(), print),
        table_(earlier_rows()) {}

  void run() {
    folder_.say(head());
    std::size_t left = options_.layers.size();
    for (const Problem& problem : options_.layers) {
      if (stop_requested()) break;
      folder_.show(options_.layers.size() - left, options_.layers.size());
      add_layer(problem, std::max(0.0, deadline_ - clock_()) / static_cast<double>(left--));
    }
    if (!results_.empty()) folder_.say(overall_text(results_) + speed_text(results_));
  }

 private:
  std::string table_name() const { return experiment_.name + ".csv"; }

  std::vector<ConvergenceRow> earlier_rows() const {
    const std::filesystem::path path = folder_.path(table_name());
    if (!options_.resume || !std::filesystem::exists(path)) return {};
    return parse_convergence_csv(read_file(path, "the table of an earlier run"), path.string());
  }

  std::string head() const {
    return joined(
        results_head(experiment_.name, machine_, options_), "# at most ", options_.measurements,
        " measurements per search; ", decimals(options_.budget_seconds, 0),
        " s for the whole study, the records' measurements not counted\n"
        "# one sample of schedules that took more than ",
        kClearlySlower,
        " times the best of their search\n# shares and efforts by a second measurement of "
        "the best schedules, side by side; cut: the time was over before the search was\n",
        left_out_);
  }

  std::vector<ConvergenceRow> measure_rows(const Problem& problem, double budget_seconds) const {
    LayerSearchOptions search_options =
        layer_options(options_, experiment_.name, (1 - kFinalShare) * budget_seconds);
    search_options.clearly_slower = kClearlySlower;
    const LayerSearch search = measurements_.search(problem, machine_, tasks_, search_options);
    const LayerSearchOptions second_look = remeasure_options(
        options_, experiment_.name + ", second look", kFinalShare * budget_seconds);
    return convergence_rows(
        name_of(problem), search,
        measurements_.again(problem, machine_, convergence_finalists(search), second_look));
  }

  void add_layer(const Problem& problem, double budget_seconds) {
    const std::string layer = name_of(problem);
    std::vector<ConvergenceRow> rows = rows_of(layer, table_);
    if (!is_done(rows, tasks_.size())) rows = measure_rows(problem, budget_seconds);
    const std::optional<LayerResult> result = result_of(rows);
    if (!result) {
      folder_.say(layer + ": nothing was measured undisturbed\n");
      return;
    }
    std::erase_if(table_, [&](const ConvergenceRow& row) { return row.layer == layer; });
    table_.insert(table_.end(), rows.begin(), rows.end());
    all_.insert(all_.end(), rows.begin(), rows.end());
    results_.push_back(*result);
    write(layer, rows);
    folder_.say(layer_text(*result));
  }

  void write(const std::string& layer, const std::vector<ConvergenceRow>& rows) const {
    const std::string where = conditions_title(machine_) + ", first seed";
    folder_.write(experiment_.name + '-' + file_part(layer) + ".svg",
                  convergence_svg(layer + where, rows));
    folder_.write(table_name(), head() + convergence_columns() + to_csv(table_));
    folder_.write(experiment_.name + ".svg",
                  convergence_svg(joined("median of ", results_.size(), " layers", where), all_));
  }

  std::string left_out_;
  SearchExperiment experiment_;
  const Machine& machine_;
  const StudyOptions& options_;
  const SearchMeasurements& measurements_;
  std::vector<SearchTask> tasks_;
  StudyFolder folder_;
  Clock clock_ = steady_clock();
  double deadline_ = clock_() + options_.budget_seconds;
  std::vector<ConvergenceRow> table_, all_;
  std::vector<LayerResult> results_;
};

}  // namespace

SearchExperiment convergence_experiment() {
  return {"convergence",
          {"model", "random", "grid", "droplet", "droplet-model", "droplet-tvm", "opevo", "gbfs",
           "na2c", "genetic", "annealing", "gbt", "evolve", "mopt", "ttile", "ttile-model"}};
}

SearchExperiment template_experiment() {
  return {"template",
          {"template-grid", "template-random", "template-droplet", "template-droplet-tvm",
           "template-genetic", "template-gbt"}};
}

SearchExperiment opevo_experiment() { return {"opevo", {"model", "opevo", "gbfs", "na2c", "gbt"}}; }

SearchExperiment kinds_experiment() {
  return {"kinds",
          {"model", "droplet", "droplet-tvm", "grid", "random", "genetic", "annealing", "gbt"}};
}

SearchExperiment ablation_experiment() {
  return {"ablations",
          {"model", "random", "random-single", "random-fastest", "ttile", "ttile-model"}};
}

SearchMeasurements SearchMeasurements::on_this_host() {
  return {.search = search_layer, .again = remeasure_finalists};
}

void study_searches(const SearchExperiment& experiment, const Machine& machine,
                    const StudyOptions& options, const Print& print,
                    const SearchMeasurements& measurements) {
  SearchStudyRun(experiment, machine, options, print, measurements).run();
}

}  // namespace tileplan
