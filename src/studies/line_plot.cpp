// SPDX-License-Identifier: Apache-2.0
// Coordinates are pixels from the top left corner.
#include "line_plot.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "check.h"
#include "svg_page.h"

namespace tileplan {

namespace {

constexpr double kLeft = 80, kTop = 48, kPlotWidth = 520, kPlotHeight = 380;
constexpr double kWidth = 780, kHeight = 490, kLegendLine = 20;
constexpr int kTicks = 5;

/// Colours of Okabe and Ito, which most colour-blind readers can tell apart; dashes tell further
/// series apart.
constexpr std::array kColours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                              "#e69f00", "#56b4e9", "#000000"};

struct Range {
  double low = 0, high = 1;

  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  double share(double value) const { return high > low ? (value - low) / (high - low) : 0.5; }
};

class Drawing {
 public:
  explicit Drawing(const LinePlot& plot) : plot_(plot), page_({kWidth, kHeight}) {
    bool first = true;
    for (const LineSeries& series : plot.series)
      for (const LinePoint& point : series.points) {
        TILEPLAN_CHECK(std::isfinite(scaled(point.x) + point.y), "an axis has no place for it");
        if (first) {
          x_ = {scaled(point.x), scaled(point.x)};
          y_ = {point.y, point.y};
        }
        first = false;
        x_.add(scaled(point.x));
        y_.add(point.y);
      }
  }

  std::string text() {
    page_.words({kLeft + kPlotWidth / 2, kTop - 20}, "middle", plot_.title);
    draw_axes();
    for (std::size_t i = 0; i < plot_.series.size(); ++i) draw_series(i);
    return page_.text();
  }

 private:
  double scaled(double x) const { return plot_.log_x ? std::log10(x) : x; }
  double at_x(double x) const { return kLeft + kPlotWidth * x_.share(scaled(x)); }
  double at_y(double y) const { return kTop + kPlotHeight * (1 - y_.share(y)); }

  void draw_axes() {
    const double bottom = kTop + kPlotHeight;
    for (int i = 0; i <= kTicks; ++i) {
      const double share = static_cast<double>(i) / kTicks;
      const double x = x_.low + share * (x_.high - x_.low), y = y_.low + share * (y_.high - y_.low);
      page_.words({kLeft + share * kPlotWidth, bottom + 18}, "middle",
                  axis_number(plot_.log_x ? std::pow(10, x) : x));
      page_.words({kLeft - 8, at_y(y) + 4}, "end", axis_number(y));
      page_.out() << "<path d=\"M" << kLeft << ' ' << at_y(y) << " h" << kPlotWidth
                  << "\" stroke=\"#e0e0e0\"/>\n";
    }
    page_.out() << "<rect x=\"" << kLeft << "\" y=\"" << kTop << "\" width=\"" << kPlotWidth
                << "\" height=\"" << kPlotHeight << "\" fill=\"none\" stroke=\"black\"/>\n";
    page_.words({kLeft + kPlotWidth / 2, bottom + 42}, "middle", plot_.x_title);
    page_.sideways({22, kTop + kPlotHeight / 2}, plot_.y_title);
  }

  void draw_series(std::size_t i) {
    const LineSeries& series = plot_.series[i];
    std::ostringstream stroke;
    stroke << "fill=\"none\" stroke-width=\"1.6\" stroke=\"" << kColours[i % kColours.size()]
           << '"';
    if (i >= kColours.size()) stroke << " stroke-dasharray=\"6 3\"";
    page_.out() << "<path d=\"";
    for (std::size_t p = 0; p < series.points.size(); ++p) {
      const double x = at_x(series.points[p].x), y = at_y(series.points[p].y);
      if (p == 0)
        page_.out() << 'M' << x << ' ' << y;
      else if (plot_.steps)
        page_.out() << " H" << x << " V" << y;
      else
        page_.out() << " L" << x << ' ' << y;
    }
    const double legend = kTop + 12 + kLegendLine * static_cast<double>(i);
    page_.out() << "\" " << stroke.str() << "/>\n<path d=\"M" << kLeft + kPlotWidth + 12 << ' '
                << legend - 4 << " h24\" " << stroke.str() << "/>\n";
    page_.words({kLeft + kPlotWidth + 42, legend}, "start", series.name);
  }

  const LinePlot& plot_;
  Range x_, y_;
  SvgPage page_;
};

}  // namespace

std::string line_plot_svg(const LinePlot& plot) { return Drawing(plot).text(); }

}  // namespace tileplan
