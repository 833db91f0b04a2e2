// SPDX-License-Identifier: Apache-2.0
// This file plots points and lines as SVG documents.
#pragma once

#include "svg.h"

namespace tileplan {

struct PlotPoint {
  double x = 0, y = 0;
  std::string label = {};  ///< Browsers show this text while the pointer is on the dot or diamond.
};

/// Selects how points are drawn: `line` joins them, and `steps` keeps y constant until the next x.
enum class PlotMark { line, steps, dot, diamond };

struct PlotSeries {
  std::string name;  ///< The legend shows this name.
  PlotMark mark = PlotMark::line;
  std::vector<PlotPoint> points = {};  ///< The points have the order in which a line joins them.
};

struct Plot {
  PlotTitles titles;
  bool log_x = false;
  /// If true, both axes are logarithmic with equal range, and a diagonal shows where x equals y.
  bool log_square = false;
  std::vector<PlotSeries> series = {};  ///< Later series are drawn on top.
};

/// Returns an SVG document. Requires that coordinates are finite, and positive on logarithmic axes.
std::string plot_svg(const Plot& plot);

}  // namespace tileplan
