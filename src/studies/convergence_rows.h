// SPDX-License-Identifier: Apache-2.0
// The table of the study `convergence`, the result of each layer and strategy, and their text.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "layer_search.h"

namespace tileplan {

/// A schedule that was the best of its search so far, or that was measured again.
struct ConvergenceRow {
  std::string layer = {};
  std::string strategy = {};
  std::uint64_t seed = 1;
  int measurement = 0;               ///< its place in the search, from 1
  double after_seconds = 0;          ///< of the search, as if it had run alone
  double seconds = 0;                ///< mean of the search's samples
  std::optional<double> again = {};  ///< median measured again, side by side with the others
  bool was_best = false;             ///< of its search, by `seconds`
  int measurements = 0;              ///< of the whole search
  bool complete = false;             ///< the search ended by its own rule or its measurements
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

/// Returns the strategies of `rows` in their order.
std::vector<std::string> strategies_of(const std::vector<ConvergenceRow>& rows);

/// Returns each search's last best schedule, its three fastest and the bests within 10 % of the
/// best known, and the model's first ten.
std::vector<std::string> convergence_finalists(const LayerSearch& search);

/// Returns the rows of one layer. `again` holds medians measured again by schedule.
std::vector<ConvergenceRow> convergence_rows(const std::string& layer, const LayerSearch& search,
                                             const std::map<std::string, double>& again);

struct Effort {
  double measurements = 0;
  double seconds = 0;
};

struct StrategyResult {
  std::string strategy = {};
  std::optional<double> share = {};  ///< best known over its last best, both measured again
  double measurements = 0;           ///< made
  bool complete = false;             ///< all of its searches
  /// The median cost until the best so far was within 95 % (98 %) of the best known; missing when
  /// most searches never got there.
  std::optional<Effort> good = {}, very_good = {};
};

struct LayerResult {
  std::string layer = {};
  double best_seconds = 0;  ///< measured again, of whatever any strategy found
  std::string best_strategy = {}, best_schedule = {};
  std::optional<double> model_top = {};  ///< the same share for the best of the model's first ten
  std::vector<StrategyResult> strategies = {};  ///< in the order of the rows
};

/// Returns the result of one layer; nothing when no schedule was measured again.
std::optional<LayerResult> result_of(const std::vector<ConvergenceRow>& rows);

struct CoursePoint {
  int measurement = 0;
  double share = 0;  ///< best known over its best so far, median over the layers
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

/// Plots the share of the best time known against measurements, the median of the layers.
std::string convergence_svg(const std::string& title, const std::vector<ConvergenceRow>& rows);

}  // namespace tileplan
