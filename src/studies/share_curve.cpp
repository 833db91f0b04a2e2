// SPDX-License-Identifier: Apache-2.0
// Points go from the slowest schedule on, so that the curve falls.
#include "share_curve.h"

#include <algorithm>

#include "computation.h"
#include "study.h"

namespace tileplan {

double peak_seconds(const Problem& problem, const Machine& machine) {
  return flops(computation_of(problem)) / peak_flops(machine_for(machine, type_of(problem)));
}

double share_slower(const std::vector<double>& all, double seconds) {
  const auto slower = std::ranges::count_if(all, [&](double one) { return one > seconds; });
  return static_cast<double>(slower) / static_cast<double>(all.size());
}

PlotSeries share_curve(const std::string& name, const std::vector<double>& seconds,
                       double peak_seconds) {
  PlotSeries series{.name = name};
  for (std::size_t i = seconds.size(); i-- > 0;)
    series.points.push_back({100 * peak_seconds / seconds[i],
                             static_cast<double>(i + 1) / static_cast<double>(seconds.size())});
  return series;
}

std::string share_plot(const std::string& layer, const Machine& machine,
                       std::vector<PlotSeries> curves) {
  return plot_svg({.titles = {.title = layer + conditions_title(machine),
                              .x = "share of peak [%]",
                              .y = "share of the schedules that reach it"},
                   .series = std::move(curves)});
}

}  // namespace tileplan
