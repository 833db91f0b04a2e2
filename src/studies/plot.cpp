// SPDX-License-Identifier: Apache-2.0
// This file draws one mark per point or one path per series. The axes cover all points.
#include "plot.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "check.h"

namespace tileplan {

namespace {

/// Okabe and Ito chose these colours so that most colour-blind readers can distinguish them.
constexpr std::array kColours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                              "#e69f00", "#56b4e9", "#000000"};

/// This factor keeps the outermost points of a square plot away from the frame.
constexpr double kMargin = 1.15;

struct Axes {
  SvgAxis x, y;

  SvgPoint at(const PlotPoint& point) const { return {x.at(point.x), y.at(point.y)}; }
};

SvgAxis axis_of(const std::vector<double>& values, double from, double to, bool log) {
  for (const double value : values)
    TILEPLAN_CHECK(std::isfinite(value) && (value > 0 || !log), "an axis has no place for it");
  if (values.empty()) return {.low = 1, .high = 10, .from = from, .to = to, .log = log};
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return {.low = *low, .high = *high, .from = from, .to = to, .log = log};
}

Axes axes_of(const Plot& plot) {
  std::vector<double> x, y;
  for (const PlotSeries& series : plot.series)
    for (const PlotPoint& point : series.points) {
      x.push_back(point.x);
      y.push_back(point.y);
    }
  Axes axes{.x = axis_of(x, kPlotCorner.x, kPlotRight, plot.log_x || plot.log_square),
            .y = axis_of(y, kPlotBottom, kPlotCorner.y, plot.log_square)};
  if (plot.log_square) {
    axes.x.low = axes.y.low = std::min(axes.x.low, axes.y.low) / kMargin;
    axes.x.high = axes.y.high = std::max(axes.x.high, axes.y.high) * kMargin;
  }
  return axes;
}

void draw_axes(pugi::xml_node svg, const Axes& axes) {
  const SvgStyle grid{{"stroke", "#e0e0e0"}};
  for (const double tick : axes.x.ticks()) {
    add_line(svg, {axes.x.at(tick), kPlotCorner.y}, {axes.x.at(tick), kPlotBottom}, grid);
    add_words(svg, {axes.x.at(tick), kPlotBottom + 18}, axis_text(tick), "middle");
  }
  for (const double tick : axes.y.ticks()) {
    add_line(svg, {kPlotCorner.x, axes.y.at(tick)}, {kPlotRight, axes.y.at(tick)}, grid);
    add_words(svg, {kPlotCorner.x - 8, axes.y.at(tick) + 4}, axis_text(tick), "end");
  }
  add_box(svg, kPlotCorner, {kPlotSide, kPlotSide}, {{"fill", "none"}, {"stroke", "black"}});
}

void draw_mark(pugi::xml_node svg, PlotMark mark, SvgPoint at, const std::string& label) {
  constexpr double kRadius = 4, kHalf = 6;
  pugi::xml_node node =
      mark == PlotMark::dot
          ? add_circle(svg, at, kRadius, {{"fill", kColours[0]}, {"fill-opacity", "0.6"}})
          : add_diamond(svg, at, kHalf, {{"fill", kColours[1]}, {"stroke", "white"}});
  if (!label.empty()) add(node, "title", label);
}

std::string path_through(const Axes& axes, const PlotSeries& series) {
  std::string path;
  double y = 0;
  for (const PlotPoint& point : series.points) {
    const SvgPoint at = axes.at(point);
    if (!path.empty() && series.mark == PlotMark::steps)
      path.append(" L").append(svg_text({at.x, y}));
    path.append(path.empty() ? "M" : " L").append(svg_text(at));
    y = at.y;
  }
  return path;
}

void draw_path(pugi::xml_node svg, const std::string& commands, std::size_t series) {
  pugi::xml_node node = add_path(
      svg, commands,
      {{"fill", "none"}, {"stroke-width", "1.6"}, {"stroke", kColours[series % kColours.size()]}});
  if (series >= kColours.size()) node.append_attribute("stroke-dasharray") = "6 3";
}

void draw_series(pugi::xml_node svg, const Axes& axes, const PlotSeries& series, std::size_t i) {
  constexpr double kLegend = kPlotRight + 12, kLegendLine = 20;
  const double y = kPlotCorner.y + 12 + kLegendLine * static_cast<double>(i);
  add_words(svg, {kLegend + 30, y}, series.name);
  if (series.mark == PlotMark::line || series.mark == PlotMark::steps) {
    draw_path(svg, path_through(axes, series), i);
    draw_path(svg, std::string("M").append(svg_text({kLegend, y - 4})).append(" h24"), i);
    return;
  }
  for (const PlotPoint& point : series.points)
    draw_mark(svg, series.mark, axes.at(point), point.label);
  draw_mark(svg, series.mark, {kLegend + 12, y - 4}, "");
}

}  // namespace

std::string plot_svg(const Plot& plot) {
  const Axes axes = axes_of(plot);
  return plot_document(plot.titles, [&](pugi::xml_node svg) {
    draw_axes(svg, axes);
    if (plot.log_square)
      add_line(svg, {kPlotCorner.x, kPlotBottom}, {kPlotRight, kPlotCorner.y},
               {{"stroke", "#808080"}, {"stroke-dasharray", "5 4"}});
    for (std::size_t i = 0; i < plot.series.size(); ++i) draw_series(svg, axes, plot.series[i], i);
  });
}

}  // namespace tileplan
