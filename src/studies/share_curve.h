// SPDX-License-Identifier: Apache-2.0
// Which share of some schedules reaches which share of peak.
#pragma once

#include <string>
#include <vector>

#include "line_plot.h"
#include "tileplan/machine.h"
#include "tileplan/problem.h"

namespace tileplan {

/// Seconds that `problem` takes at the peak of one core; border taps count.
double peak_seconds(const Problem& problem, const Machine& machine);

/// x = share of peak [%], y = share of the schedules that reach it. Requires: `seconds` ascending,
/// above 0. Example: 1 and 2 s with a peak of 1 s give (50, 1) and (100, 0.5).
LineSeries share_curve(const std::string& name, const std::vector<double>& seconds,
                       double peak_seconds);

/// The curves of one layer as SVG. Requires: one at least has a point.
std::string share_plot(const std::string& layer, const Machine& machine,
                       std::vector<LineSeries> curves);

}  // namespace tileplan
