// SPDX-License-Identifier: Apache-2.0
// Plots points and lines as SVG documents.
#pragma once

#include "svg.h"

namespace tileplan {

struct PlotPoint {
  double x = 0, y = 0;
  std::string label = {};  ///< A dot or diamond shows it to the pointer.
};

/// A line joins the points; after steps, y stays until the next x.
enum class PlotMark { line, steps, dot, diamond };

struct PlotSeries {
  std::string name;  ///< The legend shows it.
  PlotMark mark = PlotMark::line;
  std::vector<PlotPoint> points = {};  ///< They have the order drawn.
};

struct Plot {
  PlotTitles titles;
  bool log_x = false;
  /// Both axes are logarithmic and span one range, and a diagonal shows where x equals y.
  bool log_square = false;
  std::vector<PlotSeries> series = {};  ///< Later ones are drawn on top.
};

/// Returns an SVG document. Requires: all coordinates finite, and above 0 on logarithmic axes.
std::string plot_svg(const Plot& plot);

}  // namespace tileplan
