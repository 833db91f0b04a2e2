// SPDX-License-Identifier: Apache-2.0
// Slowest first, so that the curve falls.
#include "share_curve.h"

#include "computation.h"

namespace tileplan {

double peak_seconds(const Problem& problem, const Machine& machine) {
  return flops(computation_of(problem)) / peak_flops(machine_for(machine, type_of(problem)));
}

LineSeries share_curve(const std::string& name, const std::vector<double>& seconds,
                       double peak_seconds) {
  LineSeries series{.name = name, .points = {}};
  series.points.reserve(seconds.size());
  for (std::size_t i = seconds.size(); i-- > 0;)
    series.points.push_back({100 * peak_seconds / seconds[i],
                             static_cast<double>(i + 1) / static_cast<double>(seconds.size())});
  return series;
}

std::string share_plot(const std::string& layer, const Machine& machine,
                       std::vector<LineSeries> curves) {
  return line_plot_svg({.title = layer + ", " + machine.name + ", hot caches, 1 thread",
                        .x_title = "share of peak [%]",
                        .y_title = "share of the schedules that reach it",
                        .series = std::move(curves)});
}

}  // namespace tileplan
