// SPDX-License-Identifier: Apache-2.0
// Draws values over a grid as an SVG with a shade per cell, a scale, and a path.
#pragma once

#include <optional>

#include "svg.h"

namespace tileplan {

struct HeatCell {
  std::size_t column = 0;  ///< The leftmost column has number 0.
  std::size_t row = 0;     ///< The lowest row has number 0.
};

struct HeatMap {
  PlotTitles titles = {};
  std::vector<std::string> x_labels = {};  ///< Each column has one label.
  std::vector<std::string> y_labels = {};  ///< Each row has one label.
  std::string value_title = {};            ///< The title names quantity and unit.
  /// Values are indexed [row][column]. Values that are not finite are hatched.
  std::vector<std::vector<double>> values = {};
  bool log_values = false;              ///< Shades show the logarithm of the value.
  std::vector<HeatCell> path = {};      ///< A line joins these cells, and a ring marks the first.
  std::optional<HeatCell> marked = {};  ///< A diamond marks this cell.
};

/// Returns an SVG document in which low values are light. Requires at least one cell, a value for
/// each label, values above 0 when `log_values`, and a path and a mark inside the grid.
std::string heat_map_svg(const HeatMap& map);

}  // namespace tileplan
