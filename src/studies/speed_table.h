// SPDX-License-Identifier: Apache-2.0
// This file prints the speeds that strategies reach, in tables like those of the Droplet paper.
#pragma once

#include "convergence_rows.h"

namespace tileplan {

struct MeanAndDeviation {
  double mean = 0;
  /// The standard deviation of a sample, sqrt(sum of squares / (n - 1)), is missing for one value.
  std::optional<double> deviation = {};
};

/// Returns the mean and the standard deviation. Requires at least one value. Example: 1, 2 and 6
/// have the mean 3 and the deviation sqrt(7).
MeanAndDeviation mean_and_deviation(const std::vector<double>& values);

/// Returns the kind of `problem` as the Droplet paper calls it: "matrix products", "batched matrix
/// products", "reductions" (products with one row or column), "convolutions", "depthwise
/// convolutions" (average pooling included) or "relations".
std::string kind_of(const Problem& problem);

/// Returns one table per kind of problem, with a row per strategy and a column per layer. A cell
/// has the mean speed of the best schedules of all seeds, in 1e9 operations per second, and in
/// brackets the standard deviation of these speeds if there are several. A cell without data has
/// "-".
std::string speed_text(const std::vector<LayerResult>& results);

}  // namespace tileplan
