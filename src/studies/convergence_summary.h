// SPDX-License-Identifier: Apache-2.0
// What the study `convergence` says and draws.
#pragma once

#include <string>
#include <vector>

#include "convergence_rows.h"

namespace tileplan {

/// The best schedule known of one layer, and what each strategy needed for one nearly as good.
std::string layer_text(const LayerResult& result);

/// Over all layers: the share that the model's first ten reach, and for each strategy its share and
/// its measurements and seconds to 95 % and 98 %; median and worst. A layer that it never got there
/// on counts as infinite ("-"). Requires: not empty.
std::string overall_text(const std::vector<LayerResult>& results);

/// Share of the best time known against measurements, a line per strategy: of the layers that
/// `rows` hold, their median.
std::string convergence_svg(const std::string& title, const std::vector<ConvergenceRow>& rows);

}  // namespace tileplan
