// SPDX-License-Identifier: Apache-2.0
// This file writes the results of searches as text and plots.
#include <algorithm>
#include <set>

#include "convergence_rows.h"
#include "mapped.h"
#include "plot.h"
#include "statistics.h"
#include "studies.h"
#include "text_table.h"

namespace tileplan {

namespace {

std::string line_of(const std::string& name, const std::vector<std::string>& cells) {
  constexpr TextColumns kColumns{.name = 18, .cell = 16};
  return text_row(kColumns, "  " + name, cells);
}

std::string over_layers(const std::vector<double>& values, int digits) {
  return decimals(median(values), digits) + " (" + decimals(std::ranges::max(values), digits) + ")";
}

/// Returns the result of `strategy` for each layer. The result of a layer without data is empty.
std::vector<StrategyResult> results_of(const std::string& strategy,
                                       const std::vector<LayerResult>& layers) {
  return mapped(layers, [&](const LayerResult& layer) {
    const auto found = std::ranges::find(layer.strategies, strategy, &StrategyResult::strategy);
    return found == layer.strategies.end() ? StrategyResult{.strategy = strategy} : *found;
  });
}

/// Returns the number of layers that reached the goal, then the median and the worst number of
/// measurements, then those of seconds.
std::vector<std::string> effort_cells(const std::vector<StrategyResult>& results,
                                      std::optional<Effort> StrategyResult::*effort) {
  const std::vector<Effort> efforts =
      mapped(results, [&](const StrategyResult& one) { return (one.*effort).value_or(Effort{}); });
  const std::vector<double> measurements = mapped(efforts, &Effort::measurements);
  const auto never = std::ranges::count(measurements, kInfinite);
  return {joined(std::ssize(results) - never, " of ", results.size()), over_layers(measurements, 0),
          over_layers(mapped(efforts, &Effort::seconds), 2)};
}

std::string overall_line(const std::string& strategy, const std::vector<LayerResult>& layers) {
  const std::vector<StrategyResult> results = results_of(strategy, layers);
  const std::vector<double> shares =
      mapped(results, [](const StrategyResult& one) { return one.share.value_or(0); });
  std::vector<std::string> cells{
      decimals(median(shares), 3) + " (" + decimals(std::ranges::min(shares), 3) + ")",
      decimals(median(mapped(results, &StrategyResult::measurements)), 0)};
  for (const auto effort : {&StrategyResult::good, &StrategyResult::very_good})
    std::ranges::move(effort_cells(results, effort), std::back_inserter(cells));
  return line_of(strategy, cells);
}

/// Returns the text about the model's first schedules, or an empty text if none of them has a
/// second measurement.
std::string model_text(const std::vector<LayerResult>& layers) {
  if (std::ranges::none_of(layers,
                           [](const LayerResult& one) { return one.model_top.has_value(); }))
    return "";
  constexpr double kGoal = 0.98;
  const std::vector<double> shares =
      mapped(layers, [](const LayerResult& layer) { return layer.model_top.value_or(0); });
  const auto good = std::ranges::count_if(shares, [](double share) { return share >= kGoal; });
  return joined("the model's first ten reach ", decimals(median(shares), 3),
                " of the best schedule known at the median, ",
                decimals(std::ranges::min(shares), 3), " at worst; 98 % on ", good, " of ",
                shares.size(), " layers\n");
}

}  // namespace

std::string layer_text(const LayerResult& result) {
  std::string text = joined(
      result.layer, ": best ", decimals(result.best_seconds, 1, kMicroseconds), " us, found by ",
      result.best_strategy,
      result.model_top ? "; the model's first ten reach " + decimals(result.model_top, 3) : "",
      "\n  ", result.best_schedule, '\n',
      line_of("strategy", {"share", "measurements", "to 95 %", "seconds", "to 98 %", "seconds"}));
  for (const StrategyResult& one : result.strategies) {
    std::vector<std::string> cells{decimals(one.share, 3),
                                   decimals(one.measurements, 0) + (one.complete ? "" : " (cut)")};
    for (const std::optional<Effort>& effort : {one.good, one.very_good}) {
      cells.push_back(decimals(effort.value_or(Effort{}).measurements, 0));
      cells.push_back(decimals(effort.value_or(Effort{}).seconds, 2));
    }
    text += line_of(one.strategy, cells);
  }
  return text;
}

std::string overall_text(const std::vector<LayerResult>& results) {
  std::vector<std::string> names;
  for (const LayerResult& layer : results)
    for (const StrategyResult& one : layer.strategies)
      if (std::ranges::find(names, one.strategy) == names.end()) names.push_back(one.strategy);
  std::string text =
      joined("all ", results.size(), " layers, median (worst); - is never\n", model_text(results),
             line_of("strategy", {"share", "measurements", "95 % on layers", "measurements",
                                  "seconds", "98 % on layers", "measurements", "seconds"}));
  for (const std::string& name : names) text += overall_line(name, results);
  return text;
}

std::string convergence_svg(const std::string& title, const std::vector<ConvergenceRow>& rows) {
  Plot plot{.titles = {.title = title, .x = "measurements", .y = "share of the best time known"},
            .log_x = true};
  for (const std::string& name : strategies_of(rows)) {
    PlotSeries series{.name = name, .mark = PlotMark::steps};
    for (const auto& [measurement, share] : course_of(rows, name))
      series.points.push_back({static_cast<double>(measurement), share});
    if (series.points.empty()) continue;
    int end = 0;
    for (const ConvergenceRow& row : rows)
      if (row.strategy == name) end = std::max(end, row.measurements);
    series.points.push_back({static_cast<double>(end), series.points.back().y});
    plot.series.push_back(std::move(series));
  }
  return plot_svg(plot);
}

void draw_convergence(const std::string& study, const std::string& text, const std::string& origin,
                      const StudyFolder& folder) {
  const std::vector<ConvergenceRow> rows = parse_convergence_csv(text, origin);
  std::set<std::string> layers;
  for (const ConvergenceRow& row : rows) layers.insert(row.layer);
  for (const std::string& layer : layers)
    folder.write(study + '-' + file_part(layer) + ".svg",
                 convergence_svg(joined(layer, ", ", origin), rows_of(layer, rows)));
  folder.write(study + ".svg", convergence_svg("median of all layers, " + origin, rows));
}

}  // namespace tileplan
