// SPDX-License-Identifier: Apache-2.0
// All figures use these shapes, texts and axes.
#pragma once

#include <functional>
#include <pugixml.hpp>
#include <utility>
#include <vector>

namespace tileplan {

/// Appends an element <name>text</name> to `parent` and returns it.
pugi::xml_node add(pugi::xml_node parent, const char* name, const std::string& text = "");

/// Gives a position in pixels from the top left corner of a drawing, or a size in pixels.
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

/// Appends text to `svg` so that the start, middle or end of the text (`anchor`) is at `at`.
pugi::xml_node add_words(pugi::xml_node svg, SvgPoint at, const std::string& text,
                         const char* anchor = "start");

/// Returns a text such as "80.0 48.0" for path commands.
std::string svg_text(SvgPoint point);

/// Returns `value` rounded to at most four significant digits.
std::string axis_text(double value);

/// Maps values, or their logarithms if `log` is set, to pixels.
struct SvgAxis {
  double low = 0, high = 1;  ///< The ends of the axis have these values.
  double from = 0, to = 1;   ///< The ends of the axis have these positions in pixels.
  bool log = false;

  double at(double value) const;
  /// Returns round values between the ends of the axis.
  std::vector<double> ticks() const;
};

/// The plot area is a square whose top left corner is kPlotCorner. The document has room for a
/// legend to the right of this area.
constexpr SvgPoint kPlotCorner{80, 48};
constexpr double kPlotSide = 480;
constexpr double kPlotRight = kPlotCorner.x + kPlotSide, kPlotBottom = kPlotCorner.y + kPlotSide;

struct PlotTitles {
  std::string title = {}, x = {}, y = {};  ///< Titles of axes contain units.
};

/// Returns an SVG document with a white background, the titles and the elements that `draw` adds.
std::string plot_document(const PlotTitles& titles,
                          const std::function<void(pugi::xml_node svg)>& draw);

}  // namespace tileplan
