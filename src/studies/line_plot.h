// SPDX-License-Identifier: Apache-2.0
// Lines or steps of several series as an SVG, the horizontal axis logarithmic if wanted.
#pragma once

#include <string>
#include <vector>

namespace tileplan {

struct LinePoint {
  double x = 0, y = 0;
};

/// Points in the order drawn.
struct LineSeries {
  std::string name;  ///< in the legend
  std::vector<LinePoint> points;
};

struct LinePlot {
  std::string title = {};
  std::string x_title = {}, y_title = {};  ///< with their units
  bool log_x = false;
  bool steps = false;  ///< y stays until the next x; otherwise straight lines
  std::vector<LineSeries> series = {};
};

/// One self-contained SVG document; the same plot gives the same text. The vertical axis begins at
/// the smallest value. Requires: all coordinates finite, x above 0 when `log_x`.
std::string line_plot_svg(const LinePlot& plot);

}  // namespace tileplan
