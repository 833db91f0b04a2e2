// SPDX-License-Identifier: Apache-2.0
// Writes tables of fixed width.
#include "convergence_summary.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plot.h"
#include "statistics.h"
#include "text_table.h"

namespace tileplan {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr Effort kNever{.measurements = kInfinite, .seconds = kInfinite};
constexpr TextColumns kColumns{.name = 18, .cell = 16};

std::string line_of(const std::string& name, const std::vector<std::string>& cells) {
  return text_row(kColumns, "  " + name, cells);
}

/// Returns the median and the worst of a quantity over the layers.
std::string over_layers(const std::vector<double>& values, int digits) {
  return decimals(median(values), digits) + " (" +
         decimals(*std::max_element(values.begin(), values.end()), digits) + ")";
}

/// Returns the result of `strategy` on each layer, an empty one where it has none.
std::vector<StrategyResult> results_of(const std::string& strategy,
                                       const std::vector<LayerResult>& layers) {
  std::vector<StrategyResult> all;
  for (const LayerResult& layer : layers) {
    const auto found =
        std::find_if(layer.strategies.begin(), layer.strategies.end(),
                     [&](const StrategyResult& one) { return one.strategy == strategy; });
    all.push_back(found == layer.strategies.end() ? StrategyResult{.strategy = strategy} : *found);
  }
  return all;
}

/// Returns the layers that got there, and the median (worst) of measurements and of seconds.
std::vector<std::string> effort_cells(const std::vector<StrategyResult>& results,
                                      std::optional<Effort> StrategyResult::*effort) {
  std::vector<double> measurements, seconds;
  for (const StrategyResult& one : results) {
    const std::optional<Effort>& own = one.*effort;
    measurements.push_back(own ? own->measurements : kInfinite);
    seconds.push_back(own ? own->seconds : kInfinite);
  }
  const auto reached = std::count_if(measurements.begin(), measurements.end(),
                                     [](double one) { return std::isfinite(one); });
  return {std::to_string(reached) + " of " + std::to_string(results.size()),
          over_layers(measurements, 0), over_layers(seconds, 2)};
}

std::string overall_line(const std::string& strategy, const std::vector<LayerResult>& layers) {
  const std::vector<StrategyResult> results = results_of(strategy, layers);
  std::vector<double> shares, measurements;
  for (const StrategyResult& one : results) {
    shares.push_back(one.share.value_or(0));
    measurements.push_back(one.measurements);
  }
  const double worst = *std::min_element(shares.begin(), shares.end());
  std::vector<std::string> cells{decimals(median(shares), 3) + " (" + decimals(worst, 3) + ")",
                                 decimals(median(measurements), 0)};
  for (const auto effort : {&StrategyResult::good, &StrategyResult::very_good})
    for (std::string& cell : effort_cells(results, effort)) cells.push_back(std::move(cell));
  return line_of(strategy, cells);
}

std::string model_text(const std::vector<LayerResult>& layers) {
  constexpr double kGoal = 0.98;
  std::vector<double> shares;
  shares.reserve(layers.size());
  for (const LayerResult& layer : layers) shares.push_back(layer.model_top.value_or(0));
  const auto good =
      std::count_if(shares.begin(), shares.end(), [](double share) { return share >= kGoal; });
  return "the model's first ten reach " + decimals(median(shares), 3) +
         " of the best schedule known at the median, " +
         decimals(*std::min_element(shares.begin(), shares.end()), 3) + " at worst; 98 % on " +
         std::to_string(good) + " of " + std::to_string(shares.size()) + " layers\n";
}

}  // namespace

std::string layer_text(const LayerResult& result) {
  std::string text = result.layer + ": best " + decimals(result.best_seconds, 1, kMicroseconds) +
                     " us, found by " + result.best_strategy + "; the model's first ten reach " +
                     decimals(result.model_top, 3) + "\n  " + result.best_schedule + "\n";
  text +=
      line_of("strategy", {"share", "measurements", "to 95 %", "seconds", "to 98 %", "seconds"});
  for (const StrategyResult& one : result.strategies) {
    std::vector<std::string> cells{decimals(one.share, 3),
                                   decimals(one.measurements, 0) + (one.complete ? "" : " (cut)")};
    for (const std::optional<Effort>& effort : {one.good, one.very_good}) {
      cells.push_back(decimals(effort.value_or(kNever).measurements, 0));
      cells.push_back(decimals(effort.value_or(kNever).seconds, 2));
    }
    text += line_of(one.strategy, cells);
  }
  return text;
}

std::string overall_text(const std::vector<LayerResult>& results) {
  std::vector<std::string> names;
  for (const LayerResult& layer : results)
    for (const StrategyResult& one : layer.strategies)
      if (std::find(names.begin(), names.end(), one.strategy) == names.end())
        names.push_back(one.strategy);
  std::string text = "all " + std::to_string(results.size()) +
                     " layers, median (worst); - is never\n" + model_text(results);
  text += line_of("strategy", {"share", "measurements", "95 % on layers", "measurements", "seconds",
                               "98 % on layers", "measurements", "seconds"});
  for (const std::string& name : names) text += overall_line(name, results);
  return text;
}

std::string convergence_svg(const std::string& title, const std::vector<ConvergenceRow>& rows) {
  Plot plot{.titles = {.title = title, .x = "measurements", .y = "share of the best time known"},
            .log_x = true};
  for (const std::string& name : strategies_of(rows)) {
    PlotSeries series{.name = name, .mark = PlotMark::steps};
    for (const CoursePoint& point : course_of(rows, name))
      series.points.push_back({static_cast<double>(point.measurement), point.share});
    if (series.points.empty()) continue;
    int end = 0;
    for (const ConvergenceRow& row : rows)
      if (row.strategy == name) end = std::max(end, row.measurements);
    series.points.push_back({static_cast<double>(end), series.points.back().y});
    plot.series.push_back(std::move(series));
  }
  return plot_svg(plot);
}

}  // namespace tileplan
