// SPDX-License-Identifier: Apache-2.0
// This file declares the rows and results of `convergence` and the other studies that compare
// strategies. The studies count the measurements and seconds that each strategy needs for a good
// schedule.
#pragma once

#include "layer_search.h"

namespace tileplan {

/// Describes a schedule that was the best of its search so far, or that was measured again.
struct ConvergenceRow {
  std::string layer = {};
  std::string strategy = {};
  std::uint64_t seed = 1;
  int measurement = 0;       ///< The first measurement of a search has number 1.
  double after_seconds = 0;  ///< The search had run for this time, without counting other searches.
  double seconds = 0;        ///< Holds the mean of the samples that the search took, in seconds.
  /// Holds the median of later samples, taken in turns with other schedules, in seconds.
  std::optional<double> again = {};
  bool was_best = false;  ///< If true, all earlier `seconds` of the search were greater.
  int measurements = 0;   ///< The whole search made this many measurements.
  bool complete = false;  ///< If true, neither time limit nor Ctrl-C ended the search.
  std::string schedule = {};
};

/// Returns the names of the columns as the first line of a table.
std::string convergence_columns();
std::string to_csv(const std::vector<ConvergenceRow>& rows);

/// Reads a table with comment lines. Throws Error that names `origin` for a malformed table.
std::vector<ConvergenceRow> parse_convergence_csv(const std::string& text,
                                                  const std::string& origin);

std::vector<ConvergenceRow> rows_of(const std::string& layer,
                                    const std::vector<ConvergenceRow>& rows);

/// Returns the strategies in the order of their first rows.
std::vector<std::string> strategies_of(const std::vector<ConvergenceRow>& rows);

/// Returns the schedules to measure again: the three fastest of each search, each schedule that was
/// the best of its search at some time and is within 10 % of the best known, and the model's first
/// ten.
std::vector<std::string> convergence_finalists(const LayerSearch& search);

/// Returns the rows of one layer. `again` maps schedules to the medians of later samples.
std::vector<ConvergenceRow> convergence_rows(const std::string& layer, const LayerSearch& search,
                                             const std::map<std::string, double>& again);

/// Holds the cost of reaching a goal, which is infinite if a search never reaches it.
struct Effort {
  double measurements = kInfinite, seconds = kInfinite;
};

struct StrategyResult {
  std::string strategy = {};
  /// Holds the best known time divided by the time of the best schedule of a search, as the median
  /// over the searches whose best schedule has later samples. Both times are from later samples.
  std::optional<double> share = {};
  /// Holds, for each search whose best schedule has later samples, their median in seconds.
  std::vector<double> finals = {};
  double measurements = 0;  ///< Holds the median number of measurements of a search.
  bool complete = false;    ///< If true, all searches of the strategy are complete.
  /// These are the median efforts of the searches until the best known time divided by the time of
  /// a measured schedule is at least 0.95 (`good`) or 0.98 (`very_good`), if most searches reach
  /// this goal.
  std::optional<Effort> good = {}, very_good = {};
};

struct LayerResult {
  std::string layer = {};
  double best_seconds = 0;  ///< This is the shortest time of any strategy in the later samples.
  std::string best_strategy = {}, best_schedule = {};
  /// Holds best_seconds divided by the time of the fastest of the model's first ten schedules.
  std::optional<double> model_top = {};
  std::vector<StrategyResult> strategies = {};
};

/// Returns the result of one layer, or nothing when no schedule was measured again.
std::optional<LayerResult> result_of(const std::vector<ConvergenceRow>& rows);

struct CoursePoint {
  int measurement = 0;
  /// Holds the best known time divided by the time of the best schedule so far, as the median over
  /// all layers.
  double share = 0;
};

/// Returns the course of the first search of `strategy` in each layer, as the median over all
/// layers. There is a point for each number of measurements at which a layer improved. A layer
/// counts as 0 until it has a schedule, and always if none of its schedules was measured again.
std::vector<CoursePoint> course_of(const std::vector<ConvergenceRow>& rows,
                                   const std::string& strategy);

/// Returns the best known schedule of one layer, and the effort of each strategy, as text.
std::string layer_text(const LayerResult& result);

/// Returns the medians and worst values over all layers as text. An effort is infinite ("-") for a
/// layer where at most half of a strategy's searches reached the goal. Requires at least one layer.
std::string overall_text(const std::vector<LayerResult>& results);

std::string convergence_svg(const std::string& title, const std::vector<ConvergenceRow>& rows);

}  // namespace tileplan
