// SPDX-License-Identifier: Apache-2.0
// The summary and the plot of the study `convergence`.
#pragma once

#include <string>
#include <vector>

#include "convergence_rows.h"

namespace tileplan {

/// Returns the best schedule known of one layer, and what each strategy needed for one nearly as
/// good.
std::string layer_text(const LayerResult& result);

/// Returns the median and the worst over all layers of the share that the model's first ten reach,
/// and for each strategy of its share and of its measurements and seconds to 95 % and 98 %. A layer
/// on which a strategy never got there counts as infinite ("-"). Requires: not empty.
std::string overall_text(const std::vector<LayerResult>& results);

/// Plots the share of the best time known against measurements, a line per strategy: the median of
/// the layers that `rows` hold.
std::string convergence_svg(const std::string& title, const std::vector<ConvergenceRow>& rows);

}  // namespace tileplan
