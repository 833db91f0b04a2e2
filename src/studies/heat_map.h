// SPDX-License-Identifier: Apache-2.0
// Draws values over a grid as an SVG: a shade per cell, a scale beside them, and a path over them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "svg.h"

namespace tileplan {

struct HeatCell {
  std::size_t column = 0;  ///< from the left
  std::size_t row = 0;     ///< from below
};

struct HeatMap {
  PlotTitles titles = {};
  std::vector<std::string> x_labels = {};  ///< of the columns, from the left
  std::vector<std::string> y_labels = {};  ///< of the rows, from below
  std::string value_title = {};            ///< what the shades mean, with the unit
  /// values[row][column], rows from below. Not finite: unknown, drawn hatched.
  std::vector<std::vector<double>> values = {};
  bool log_values = false;              ///< shades by the logarithm of the value
  std::vector<HeatCell> path = {};      ///< joined by a line, a ring at its first cell
  std::optional<HeatCell> marked = {};  ///< gets a diamond
};

/// Returns an SVG document, light is low. Requires: at least one cell, a value for each label,
/// values above 0 when `log_values`, the path and the mark inside.
std::string heat_map_svg(const HeatMap& map);

}  // namespace tileplan
