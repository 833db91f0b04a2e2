// SPDX-License-Identifier: Apache-2.0
// A scatter plot of two quantities with the same unit as an SVG, both axes logarithmic.
#pragma once

#include <string>
#include <vector>

namespace tileplan {

struct ScatterPoint {
  double x = 0, y = 0;
  std::string label = {};  ///< shown when the pointer rests on it; empty: nothing
};

/// Shapes tell the series apart without colours.
enum class Marker { dot, diamond };

struct ScatterSeries {
  std::string name;  ///< in the legend
  Marker marker = Marker::dot;
  std::vector<ScatterPoint> points;
};

struct ScatterPlot {
  std::string title = {};
  std::string x_title = {}, y_title = {};
  std::string unit;                        ///< of both axes, "ms"
  std::vector<ScatterSeries> series = {};  ///< later ones are drawn on top
};

/// One self-contained SVG document. Both axes span the same range, and the diagonal shows where x
/// equals y. The same plot gives the same text. Requires: all coordinates above 0 and finite.
std::string log_scatter_svg(const ScatterPlot& plot);

}  // namespace tileplan
