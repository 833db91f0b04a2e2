// SPDX-License-Identifier: Apache-2.0
// The study `convergence` tells how many measurements and seconds each strategy needs.
#pragma once

#include "layer_search.h"

namespace tileplan {

/// The schedule was the best of its search so far, or was measured again.
struct ConvergenceRow {
  std::string layer = {};
  std::string strategy = {};
  std::uint64_t seed = 1;
  int measurement = 0;               ///< The search's first one has 1.
  double after_seconds = 0;          ///< So long the search had run, as if alone.
  double seconds = 0;                ///< It is the mean of the search's samples.
  std::optional<double> again = {};  ///< It is the median of later samples in turns with others.
  bool was_best = false;             ///< It is decided by `seconds`.
  int measurements = 0;              ///< The whole search has made so many.
  bool complete = false;             ///< The search ended by its own rule or its measurements.
  std::string schedule = {};
};

/// Returns the names of the columns, and one line per row.
std::string convergence_columns();
std::string to_csv(const std::vector<ConvergenceRow>& rows);

/// Reads a table with its comment lines. Throws Error naming `origin`.
std::vector<ConvergenceRow> parse_convergence_csv(const std::string& text,
                                                  const std::string& origin);

std::vector<ConvergenceRow> rows_of(const std::string& layer,
                                    const std::vector<ConvergenceRow>& rows);

/// Returns the strategies in the order of their first rows.
std::vector<std::string> strategies_of(const std::vector<ConvergenceRow>& rows);

/// Returns each search's three fastest schedules and its bests so far that were within 10 % of the
/// best known, and the model's first ten.
std::vector<std::string> convergence_finalists(const LayerSearch& search);

/// Returns the rows of one layer. `again` holds medians measured again by schedule.
std::vector<ConvergenceRow> convergence_rows(const std::string& layer, const LayerSearch& search,
                                             const std::map<std::string, double>& again);

/// It is infinite until a search gets there.
struct Effort {
  double measurements = kInfinite, seconds = kInfinite;
};

struct StrategyResult {
  std::string strategy = {};
  std::optional<double> share = {};  ///< It is t_best / t_own, both measured again.
  double measurements = 0;
  bool complete = false;  ///< All of its searches are.
  /// The median search needs it until t_best / t is 0.95 (0.98); missing when most never do.
  std::optional<Effort> good = {}, very_good = {};
};

struct LayerResult {
  std::string layer = {};
  double best_seconds = 0;  ///< It is the shortest time measured again, with any strategy.
  std::string best_strategy = {}, best_schedule = {};
  std::optional<double> model_top = {};  ///< The best of the model's first ten has this share.
  std::vector<StrategyResult> strategies = {};
};

/// Returns the result of one layer; nothing when no schedule was measured again.
std::optional<LayerResult> result_of(const std::vector<ConvergenceRow>& rows);

struct CoursePoint {
  int measurement = 0;
  double share = 0;  ///< It is t_best / t of the best so far, the median over the layers.
};

/// Returns the share that the first seed of `strategy` had after each number of measurements. A
/// layer counts 0 until it has a schedule.
std::vector<CoursePoint> course_of(const std::vector<ConvergenceRow>& rows,
                                   const std::string& strategy);

/// Returns the best schedule known of one layer, and what each strategy needed for it.
std::string layer_text(const LayerResult& result);

/// Returns the medians and the worst of all layers. A layer on which a strategy never got there
/// counts as infinite ("-"). Requires: not empty.
std::string overall_text(const std::vector<LayerResult>& results);

/// Plots the points of course_of for each strategy.
std::string convergence_svg(const std::string& title, const std::vector<ConvergenceRow>& rows);

}  // namespace tileplan
