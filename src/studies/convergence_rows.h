// SPDX-License-Identifier: Apache-2.0
// The study `convergence` counts the measurements and seconds that each strategy needs.
#pragma once

#include "layer_search.h"

namespace tileplan {

/// Describes one schedule that was the best of its search so far or was measured again.
struct ConvergenceRow {
  std::string layer = {};
  std::string strategy = {};
  std::uint64_t seed = 1;
  int measurement = 0;               ///< The first measurement of a search has number 1.
  double after_seconds = 0;          ///< The search had run this long, not counting others.
  double seconds = 0;                ///< The samples of the search have this mean.
  std::optional<double> again = {};  ///< Later samples in turns with others have this median.
  bool was_best = false;             ///< By `seconds`, the schedule was the best so far.
  int measurements = 0;              ///< The whole search made this many.
  bool complete = false;             ///< The search ended by its own rule or its measurements.
  std::string schedule = {};
};

/// Returns the names of the columns, and one line per row.
std::string convergence_columns();
std::string to_csv(const std::vector<ConvergenceRow>& rows);

/// Reads a table with comment lines. The messages of thrown Errors name `origin`.
std::vector<ConvergenceRow> parse_convergence_csv(const std::string& text,
                                                  const std::string& origin);

std::vector<ConvergenceRow> rows_of(const std::string& layer,
                                    const std::vector<ConvergenceRow>& rows);

/// Returns the strategies in the order of their first rows.
std::vector<std::string> strategies_of(const std::vector<ConvergenceRow>& rows);

/// Returns, for each search, the three fastest schedules and each schedule that was the best so far
/// and within 10 % of the best known. Adds the model's first ten.
std::vector<std::string> convergence_finalists(const LayerSearch& search);

/// Returns the rows of one layer. `again` maps schedules to the medians of later samples.
std::vector<ConvergenceRow> convergence_rows(const std::string& layer, const LayerSearch& search,
                                             const std::map<std::string, double>& again);

/// Holds what a search needs to reach a goal; infinite if it never does.
struct Effort {
  double measurements = kInfinite, seconds = kInfinite;
};

struct StrategyResult {
  std::string strategy = {};
  std::optional<double> share = {};  ///< The share is t_best / t_own from the later samples.
  double measurements = 0;
  bool complete = false;  ///< All searches of the strategy are complete.
  /// The median search needs this until t_best / t is 0.95 (0.98), if most searches get there.
  std::optional<Effort> good = {}, very_good = {};
};

struct LayerResult {
  std::string layer = {};
  double best_seconds = 0;  ///< No strategy has a shorter time in the later samples.
  std::string best_strategy = {}, best_schedule = {};
  std::optional<double> model_top = {};  ///< The best of the model's first ten has this t_best / t.
  std::vector<StrategyResult> strategies = {};
};

/// Returns the result of one layer, or nothing when no schedule was measured again.
std::optional<LayerResult> result_of(const std::vector<ConvergenceRow>& rows);

struct CoursePoint {
  int measurement = 0;
  double share = 0;  ///< The best so far has this t_best / t, as a median over the layers.
};

/// Returns the share that `strategy` reached with the first seed, by the number of measurements. A
/// layer counts as 0 until it has a schedule.
std::vector<CoursePoint> course_of(const std::vector<ConvergenceRow>& rows,
                                   const std::string& strategy);

/// Returns the best known schedule of one layer, and the effort of each strategy.
std::string layer_text(const LayerResult& result);

/// Returns the medians and the worst values over all layers. A layer on which a strategy never
/// reached the goal counts as infinite ("-"). Requires at least one layer.
std::string overall_text(const std::vector<LayerResult>& results);

/// Plots the points of course_of for each strategy.
std::string convergence_svg(const std::string& title, const std::vector<ConvergenceRow>& rows);

}  // namespace tileplan
