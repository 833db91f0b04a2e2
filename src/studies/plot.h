// SPDX-License-Identifier: Apache-2.0
// Plots points and lines as SVG documents.
#pragma once

#include "svg.h"

namespace tileplan {

struct PlotPoint {
  double x = 0, y = 0;
  std::string label = {};  ///< A dot or diamond shows this text under the mouse.
};

/// With `line`, a line joins the points; with `steps`, y is constant until the next x.
enum class PlotMark { line, steps, dot, diamond };

struct PlotSeries {
  std::string name;  ///< The legend shows this name.
  PlotMark mark = PlotMark::line;
  std::vector<PlotPoint> points = {};  ///< The points are in drawing order.
};

struct Plot {
  PlotTitles titles;
  bool log_x = false;
  /// Both axes are logarithmic and span one range, and a diagonal shows where x equals y.
  bool log_square = false;
  std::vector<PlotSeries> series = {};  ///< Later series are drawn on top.
};

/// Returns an SVG document. Requires finite coordinates, which are above 0 on logarithmic axes.
std::string plot_svg(const Plot& plot);

}  // namespace tileplan
