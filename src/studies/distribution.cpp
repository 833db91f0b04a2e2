// SPDX-License-Identifier: Apache-2.0
// Sorts the draws.
#include <algorithm>
#include <cmath>

#include "csv.h"
#include "share_curve.h"
#include "statistics.h"
#include "studies.h"
#include "text_table.h"

namespace tileplan {

namespace {

constexpr int kModelTop = 10;  // schedules of the model that are measured

/// Returns the times that were measured, fastest first.
std::vector<double> times_of(const SearchCourse& course) {
  std::vector<double> times;
  for (const SearchStep& step : course.steps)
    if (std::isfinite(step.seconds)) times.push_back(step.seconds);
  std::sort(times.begin(), times.end());
  return times;
}

std::string rows_of(const std::string& layer, const LayerSearch& search) {
  std::string rows;
  for (const SearchCourse& course : search.courses)
    for (const SearchStep& step : course.steps)
      rows += csv_line({layer, course.task.strategy, csv_number(step.seconds), step.schedule});
  return rows;
}

std::string layer_summary(const std::string& layer, const std::vector<double>& random,
                          const std::vector<double>& model, double first_model) {
  const auto microseconds = [](double seconds) { return decimals(seconds, 1, kMicroseconds); };
  const auto slower = [&](double seconds) {
    return decimals(share_slower(random, seconds), 1, kPercent);
  };
  return layer + ": " + std::to_string(random.size()) + " random schedules, fastest " +
         microseconds(random.front()) + " us, median " + microseconds(median(random)) +
         " us; the model's first is faster than " + slower(first_model) +
         " % of them, its best of " + std::to_string(model.size()) + " (" +
         microseconds(model.front()) + " us) than " + slower(model.front()) + " %\n";
}

std::vector<SearchTask> tasks_of(const StudyOptions& options) {
  return {{.strategy = "model",
           .budget = {.measurements = kModelTop, .seconds = options.budget_seconds}},
          {.strategy = "random",
           .seed = options.seed,
           .budget = {.measurements = options.measurements, .seconds = options.budget_seconds}}};
}

}  // namespace

void study_distribution(const Machine& machine, const StudyOptions& options, const Print& print) {
  const auto measure = [&](const Problem& problem) -> std::optional<LayerResults> {
    const std::string layer = name_of(problem);
    const LayerSearch search =
        search_layer(problem, machine, tasks_of(options), layer_options(options, "distribution"));
    const std::vector<double> model = times_of(search.courses[0]);
    const std::vector<double> random = times_of(search.courses[1]);
    if (model.empty() || random.empty()) return std::nullopt;
    const double peak = peak_seconds(problem, machine);
    return LayerResults{
        .rows = rows_of(layer, search),
        .svg = share_plot(layer, machine,
                          {share_curve("random", random, peak),
                           share_curve("the model's first 10", model, peak)}),
        .text = layer_summary(layer, random, model, search.courses[0].steps.front().seconds)};
  };
  study_layers({.name = "distribution",
                .conditions = limits_line(options),
                .columns = "layer,drawn by,seconds,schedule"},
               machine, options, print, measure);
}

}  // namespace tileplan
