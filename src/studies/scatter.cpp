// SPDX-License-Identifier: Apache-2.0
// Coordinates are pixels from the top left corner.
#include "scatter.h"

#include <algorithm>
#include <cmath>

#include "check.h"
#include "svg_page.h"

namespace tileplan {

namespace {

constexpr double kLeft = 80, kTop = 56, kSide = 480;  // the square between the axes
constexpr double kWidth = 600, kHeight = 620;
/// Space between the outermost points and the frame: a factor, as the axes are logarithmic.
constexpr double kMargin = 1.15;
/// Ticks at 1, 2 and 5 of each decade while there are at most so many.
constexpr std::size_t kMostTicks = 9;

struct Range {
  double low = 1, high = 10;
};

Range range_of(const ScatterPlot& plot) {
  double low = HUGE_VAL, high = 0;
  for (const ScatterSeries& series : plot.series)
    for (const ScatterPoint& point : series.points) {
      TILEPLAN_CHECK(point.x > 0 && point.y > 0 && std::isfinite(point.x + point.y),
                     "a logarithmic axis has no place for it");
      low = std::min({low, point.x, point.y});
      high = std::max({high, point.x, point.y});
    }
  if (high == 0) return {};
  return {.low = low / kMargin, .high = high * kMargin};
}

std::vector<double> ticks_of(const Range& range) {
  std::vector<double> fine, decades;
  const int last = static_cast<int>(std::floor(std::log10(range.high)));
  for (int decade = static_cast<int>(std::floor(std::log10(range.low))); decade <= last; ++decade)
    for (const double step : {1.0, 2.0, 5.0}) {
      const double tick = step * std::pow(10.0, decade);
      if (tick < range.low || tick > range.high) continue;
      fine.push_back(tick);
      if (step == 1) decades.push_back(tick);
    }
  return fine.size() <= kMostTicks ? fine : decades;
}

class Drawing {
 public:
  explicit Drawing(const ScatterPlot& plot)
      : plot_(plot), range_(range_of(plot)), page_({kWidth, kHeight}) {}

  std::string text() {
    page_.words({kLeft + kSide / 2, 24}, "middle", plot_.title);
    draw_axes();
    double legend = kTop + 20;
    for (const ScatterSeries& series : plot_.series) {
      for (const ScatterPoint& point : series.points)
        draw_marker(series.marker, x(point.x), y(point.y), point.label);
      draw_marker(series.marker, kLeft + 16, legend - 4, "");
      page_.words({kLeft + 28, legend}, "start", series.name);
      legend += 20;
    }
    return page_.text();
  }

 private:
  double place(double value) const {
    return std::log(value / range_.low) / std::log(range_.high / range_.low) * kSide;
  }
  double x(double value) const { return kLeft + place(value); }
  double y(double value) const { return kTop + kSide - place(value); }

  void line(const PagePoint& from, const PagePoint& to, const char* style) {
    page_.out() << "<line x1=\"" << from.x << "\" y1=\"" << from.y << "\" x2=\"" << to.x
                << "\" y2=\"" << to.y << "\" " << style << "/>\n";
  }

  void draw_axes() {
    const double bottom = kTop + kSide, right = kLeft + kSide;
    for (const double tick : ticks_of(range_)) {
      line({x(tick), kTop}, {x(tick), bottom}, "stroke=\"#e0e0e0\"");
      line({kLeft, y(tick)}, {right, y(tick)}, "stroke=\"#e0e0e0\"");
      page_.words({x(tick), bottom + 18}, "middle", axis_number(tick));
      page_.words({kLeft - 8, y(tick) + 4}, "end", axis_number(tick));
    }
    line({kLeft, bottom}, {right, kTop}, "stroke=\"#808080\" stroke-dasharray=\"5 4\"");
    page_.out() << "<rect x=\"" << kLeft << "\" y=\"" << kTop << "\" width=\"" << kSide
                << "\" height=\"" << kSide << "\" fill=\"none\" stroke=\"black\"/>\n";
    page_.words({kLeft + kSide / 2, bottom + 44}, "middle",
                plot_.x_title + " [" + plot_.unit + "]");
    page_.sideways({24, kTop + kSide / 2}, plot_.y_title + " [" + plot_.unit + "]");
  }

  /// Colours of Okabe and Ito, which most colour-blind readers can tell apart.
  void draw_marker(Marker marker, double at_x, double at_y, const std::string& label) {
    constexpr double kRadius = 4, kHalf = 6;
    page_.out() << "<g>";
    if (!label.empty()) page_.out() << "<title>" << xml_escaped(label) << "</title>";
    if (marker == Marker::dot)
      page_.out() << "<circle cx=\"" << at_x << "\" cy=\"" << at_y << "\" r=\"" << kRadius
                  << "\" fill=\"#0072b2\" fill-opacity=\"0.6\"/>";
    else
      page_.out() << "<path d=\"M" << at_x << ' ' << at_y - kHalf << " l" << kHalf << ' ' << kHalf
                  << " l" << -kHalf << ' ' << kHalf << " l" << -kHalf << ' ' << -kHalf
                  << " z\" fill=\"#d55e00\" stroke=\"white\"/>";
    page_.out() << "</g>\n";
  }

  const ScatterPlot& plot_;
  const Range range_;
  SvgPage page_;
};

}  // namespace

std::string log_scatter_svg(const ScatterPlot& plot) { return Drawing(plot).text(); }

}  // namespace tileplan
