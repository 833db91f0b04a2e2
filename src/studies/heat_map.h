// SPDX-License-Identifier: Apache-2.0
// This file draws values over a grid as an SVG document with coloured cells, a scale and a path.
#pragma once

#include <optional>

#include "svg.h"

namespace tileplan {

struct HeatCell {
  std::size_t column = 0;  ///< Columns are numbered from the left, starting at 0.
  std::size_t row = 0;     ///< Rows are numbered from the bottom, starting at 0.
};

struct HeatMap {
  PlotTitles titles = {};
  std::vector<std::string> x_labels = {};  ///< Each column has one label.
  std::vector<std::string> y_labels = {};  ///< Each row has one label.
  std::string value_title = {};            ///< The title of the scale contains quantity and unit.
  /// Values are indexed [row][column]. Cells whose values are not finite are hatched.
  std::vector<std::vector<double>> values = {};
  bool log_values = false;          ///< If true, colours show the logarithm of the value.
  std::vector<HeatCell> path = {};  ///< A line joins these cells, and a ring marks the first cell.
  std::optional<HeatCell> marked = {};  ///< A diamond marks this cell.
};

/// Returns an SVG document. Light colours stand for low values. Requires that there is a cell, each
/// pair of labels has a value, finite values are positive with `log_values`, and `path` and
/// `marked` are inside the grid.
std::string heat_map_svg(const HeatMap& map);

}  // namespace tileplan
