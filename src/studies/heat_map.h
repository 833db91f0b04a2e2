// SPDX-License-Identifier: Apache-2.0
// Draws values over a grid as an SVG with a shade per cell, a scale, and a path.
#pragma once

#include <optional>

#include "svg.h"

namespace tileplan {

struct HeatCell {
  std::size_t column = 0;  ///< The leftmost has 0.
  std::size_t row = 0;     ///< The lowest has 0.
};

struct HeatMap {
  PlotTitles titles = {};
  std::vector<std::string> x_labels = {};  ///< Each column has one.
  std::vector<std::string> y_labels = {};  ///< Each row has one.
  std::string value_title = {};            ///< It names the quantity and its unit.
  /// Each is values[row][column]. Unknown ones are not finite, and are drawn hatched.
  std::vector<std::vector<double>> values = {};
  bool log_values = false;              ///< Shades show the logarithm of the value.
  std::vector<HeatCell> path = {};      ///< A line joins them, and a ring marks the first.
  std::optional<HeatCell> marked = {};  ///< It gets a diamond.
};

/// Returns an SVG document in which light is low. Requires: at least one cell, a value for each
/// label, values above 0 when `log_values`, the path and the mark inside.
std::string heat_map_svg(const HeatMap& map);

}  // namespace tileplan
