// SPDX-License-Identifier: Apache-2.0
// Shows which share of some schedules reaches which share of peak.
#pragma once

#include <string>
#include <vector>

#include "plot.h"
#include "tileplan/machine.h"
#include "tileplan/problem.h"

namespace tileplan {

/// Returns the seconds that `problem` takes at the peak of one core; border taps count.
double peak_seconds(const Problem& problem, const Machine& machine);

/// Returns the share of `all` that is slower than `seconds`. Requires: `all` not empty.
double share_slower(const std::vector<double>& all, double seconds);

/// Returns the share that reaches each share of peak [%]. Requires: `seconds` ascending, above 0.
/// Example: 1 and 2 s with a peak of 1 s give (50, 1) and (100, 0.5).
PlotSeries share_curve(const std::string& name, const std::vector<double>& seconds,
                       double peak_seconds);

std::string share_plot(const std::string& layer, const Machine& machine,
                       std::vector<PlotSeries> curves);

}  // namespace tileplan
