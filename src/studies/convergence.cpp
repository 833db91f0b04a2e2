// SPDX-License-Identifier: Apache-2.0
// Searches, measures the finalists again, and writes.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "convergence_rows.h"
#include "convergence_summary.h"
#include "files.h"
#include "remeasure_finalists.h"
#include "stop.h"
#include "strategy.h"
#include "studies.h"
#include "text_table.h"
#include "timer.h"

namespace tileplan {

namespace {

constexpr const char* kStudy = "convergence";
constexpr const char* kTable = "convergence.csv";

/// A schedule that takes this many times the best of its search needs one sample: no disturbance
/// that the sentinel lets pass is as large. Only droplet search compares more than means, and only
/// of what is faster than its best so far.
constexpr double kClearlySlower = 2;

/// The share of a layer's budget for measuring the finalists again.
constexpr double kFinalShare = 0.1;

std::vector<SearchTask> tasks_of(const StudyOptions& options) {
  const SearchBudget budget{.measurements = options.measurements,
                            .seconds = std::numeric_limits<double>::infinity()};
  std::vector<SearchTask> tasks;
  for (int round = 0; round < options.seeds; ++round)
    for (const std::string& strategy : strategy_names())
      if (round == 0 || is_random(strategy))
        tasks.push_back({.strategy = strategy,
                         .seed = options.seed + static_cast<std::uint64_t>(round),
                         .budget = budget,
                         .round = round});
  return tasks;
}

/// Returns the rows of an earlier run that is to be gone on with.
std::vector<ConvergenceRow> earlier_rows(const StudyOptions& options) {
  const std::filesystem::path path = std::filesystem::path(options.folder) / kTable;
  if (!options.resume || !std::filesystem::exists(path)) return {};
  return parse_convergence_csv(read_file(path, "the table of an earlier run"), path.string());
}

/// Returns whether `rows` of one layer hold `searches` searches that ended by themselves.
bool is_done(const std::vector<ConvergenceRow>& rows, std::size_t searches) {
  std::set<std::pair<std::string, std::uint64_t>> complete;
  for (const ConvergenceRow& row : rows)
    if (row.complete) complete.emplace(row.strategy, row.seed);
  return complete.size() == searches && result_of(rows).has_value();
}

/// Searches, and measures the finalists of one layer again.
std::vector<ConvergenceRow> measure_rows(const Problem& problem, const Machine& machine,
                                         const StudyOptions& options, double budget_seconds) {
  LayerSearchOptions search_options = layer_options(options, kStudy);
  search_options.clearly_slower = kClearlySlower;
  search_options.budget_seconds = (1 - kFinalShare) * budget_seconds;
  const LayerSearch search = search_layer(problem, machine, tasks_of(options), search_options);
  const std::map<std::string, double> again =
      remeasure_finalists(problem, machine, convergence_finalists(search),
                          {.records = options.records,
                           .version = search_options.version + ", second look",
                           .budget_seconds = kFinalShare * budget_seconds,
                           .seed = options.seed});
  return convergence_rows(name_of(problem), search, again);
}

std::string head_of(const Machine& machine, const StudyOptions& options) {
  return results_head(kStudy, machine, options) + "# at most " +
         std::to_string(options.measurements) + " measurements per search; " +
         decimals(options.budget_seconds, 0) +
         " s for the whole study, the records' measurements not counted\n# one sample of schedules "
         "that took more than " +
         decimals(kClearlySlower, 0) +
         " times the best of their search\n# shares and efforts by a second measurement of the "
         "best "
         "schedules, side by side; cut: the time was over before the search was\n";
}

}  // namespace

void study_convergence(const Machine& machine, const StudyOptions& options, const Print& print) {
  StudyFolder folder(options, kTable, print);
  std::vector<ConvergenceRow> table = earlier_rows(options);
  const std::size_t searches = tasks_of(options).size();
  const std::string head = head_of(machine, options);
  folder.say(head);
  const Clock clock = steady_clock();
  const double deadline = clock() + options.budget_seconds;
  std::vector<ConvergenceRow> all;
  std::vector<LayerResult> results;
  std::size_t left = options.layers.size();
  for (const Problem& problem : options.layers) {
    if (stop_requested()) break;
    const std::string layer = name_of(problem);
    std::vector<ConvergenceRow> rows = rows_of(layer, table);
    if (!is_done(rows, searches))
      rows = measure_rows(problem, machine, options,
                          std::max(0.0, deadline - clock()) / static_cast<double>(left));
    --left;
    const std::optional<LayerResult> result = result_of(rows);
    if (!result) {
      folder.say(layer + ": nothing was measured undisturbed\n");
      continue;
    }
    const std::string where = conditions_title(machine) + ", first seed";
    folder.write("convergence-" + file_part(layer) + ".svg", convergence_svg(layer + where, rows));
    std::erase_if(table, [&](const ConvergenceRow& row) { return row.layer == layer; });
    table.insert(table.end(), rows.begin(), rows.end());
    all.insert(all.end(), rows.begin(), rows.end());
    results.push_back(*result);
    folder.write(kTable, head + convergence_columns() + to_csv(table));
    folder.write(
        "convergence.svg",
        convergence_svg("median of " + std::to_string(results.size()) + " layers" + where, all));
    folder.say(layer_text(*result));
  }
  if (!results.empty()) folder.say(overall_text(results));
}

void draw_convergence(const std::string& text, const std::string& origin,
                      const StudyFolder& folder) {
  const std::vector<ConvergenceRow> rows = parse_convergence_csv(text, origin);
  std::set<std::string> layers;
  for (const ConvergenceRow& row : rows) layers.insert(row.layer);
  for (const std::string& layer : layers) {
    const std::string title = std::string(layer).append(", ").append(origin);
    folder.write("convergence-" + file_part(layer) + ".svg",
                 convergence_svg(title, rows_of(layer, rows)));
  }
  folder.write("convergence.svg", convergence_svg("median of all layers, " + origin, rows));
}

}  // namespace tileplan
