// SPDX-License-Identifier: Apache-2.0
// All figures share these shapes, words and axes.
#pragma once

#include <functional>
#include <pugixml.hpp>
#include <utility>
#include <vector>

namespace tileplan {

/// Appends <name>text</name> and returns it.
pugi::xml_node add(pugi::xml_node parent, const char* name, const std::string& text = "");

/// A point is in pixels from the top left corner of a drawing.
struct SvgPoint {
  double x = 0, y = 0;
};

/// Lists attributes of a shape, such as {{"fill", "none"}, {"stroke", "#333"}}.
using SvgStyle = std::initializer_list<std::pair<const char*, const char*>>;

pugi::xml_node add_drawing(pugi::xml_node parent, SvgPoint size, const std::string& title);
pugi::xml_node add_line(pugi::xml_node svg, SvgPoint from, SvgPoint to, SvgStyle style);
pugi::xml_node add_box(pugi::xml_node svg, SvgPoint corner, SvgPoint size, SvgStyle style);
pugi::xml_node add_circle(pugi::xml_node svg, SvgPoint centre, double radius, SvgStyle style);
pugi::xml_node add_diamond(pugi::xml_node svg, SvgPoint centre, double half, SvgStyle style);
pugi::xml_node add_path(pugi::xml_node svg, const std::string& commands, SvgStyle style);

/// Appends text whose start, middle or end (`anchor`) lies at `at`.
pugi::xml_node add_words(pugi::xml_node svg, SvgPoint at, const std::string& text,
                         const char* anchor = "start");

/// Returns a text like "80.0 48.0" for the commands of a path.
std::string svg_text(SvgPoint point);

/// Returns `value` with four significant digits.
std::string axis_text(double value);

/// Maps values to pixels, by themselves or by their logarithms.
struct SvgAxis {
  double low = 0, high = 1;  ///< The ends have these values.
  double from = 0, to = 1;   ///< The ends are at these pixels.
  bool log = false;

  double at(double value) const;
  /// Returns round values between the ends.
  std::vector<double> ticks() const;
};

/// A plot is this square of its document, which leaves room for a legend on the right.
constexpr SvgPoint kPlotCorner{80, 48};
constexpr double kPlotSide = 480;
constexpr double kPlotRight = kPlotCorner.x + kPlotSide, kPlotBottom = kPlotCorner.y + kPlotSide;

struct PlotTitles {
  std::string title = {}, x = {}, y = {};  ///< The axes name their units.
};

/// Returns an SVG document with a white ground, the titles and the elements that `draw` adds.
std::string plot_document(const PlotTitles& titles,
                          const std::function<void(pugi::xml_node svg)>& draw);

}  // namespace tileplan
