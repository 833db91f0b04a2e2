// SPDX-License-Identifier: Apache-2.0
// This file draws bars. Coordinates are pixels from the top left corner.
#include "charts.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "check.h"
#include "shortened.h"
#include "svg.h"

namespace tileplan {
namespace {

constexpr double kBarsRight = 392;
constexpr std::size_t kNameLength = 24;
constexpr std::array kFills{"f0", "f1", "f2", "f3"};

void draw_line(pugi::xml_node svg, SvgPoint from, SvgPoint to) {
  add_line(svg, from, to, {{"class", "axis"}});
}

/// Estimates the width of `text` in wide fonts such as DejaVu Sans, in pixels.
double width_of(const std::string& text) {
  constexpr double kWide = 13.7, kUsual = 9;
  double width = 0;
  for (const char c : text)
    width += std::string_view("mwMW").find(c) == std::string_view::npos ? kUsual : kWide;
  return width;
}

double left_of(const std::vector<Bar>& bars) {
  constexpr double kMargin = 12;
  double left = 0;
  for (const Bar& bar : bars)
    left = std::max(left, kMargin + width_of(end_of(bar.name, kNameLength)));
  return left;
}

void add_legend(pugi::xml_node svg, const std::vector<std::string>& names, double x) {
  constexpr double kSize = 14, kGap = 20, kLetter = 8;
  for (std::size_t i = 0; i < names.size(); ++i) {
    add_box(svg, {x, 6}, {kSize, kSize}, {{"class", kFills[i]}});
    add_words(svg, {x + kGap, 18}, names[i]);
    x += 2 * kGap + kLetter * static_cast<double>(names[i].size());
  }
}

/// Draws one bar. Browsers show the name and the value of the part under the pointer.
void add_bar(pugi::xml_node svg, const BarChart& chart, const Bar& bar, const SvgAxis& axis,
             double y) {
  constexpr double kBar = 18;
  add_words(svg, {axis.from - 8, y + 14}, end_of(bar.name, kNameLength), "end");
  double x = axis.from;
  for (std::size_t i = 0; i < bar.parts.size(); ++i) {
    const double width = axis.at(bar.parts[i]) - axis.from;
    if (width > 0) {
      const std::string part = i < chart.legend.size() ? ", " + chart.legend[i] : "";
      add(add_box(svg, {x, y}, {width, kBar}, {{"class", kFills[i]}}), "title",
          bar.name + part + ": " + with_prefix(bar.parts[i], chart.unit));
    }
    x += width;
  }
  add_words(svg, {x + 6, y + 14}, with_prefix(total(bar), chart.unit));
}

}  // namespace

void add_bars(pugi::xml_node parent, const BarChart& chart) {
  TILEPLAN_CHECK(chart.legend.size() <= kFills.size(), "more parts than fills");
  constexpr double kRow = 26, kFoot = 46;
  const double head = chart.legend.empty() ? 6 : 30;
  double longest = 0;
  for (const Bar& bar : chart.bars) longest = std::max(longest, total(bar));
  if (longest == 0) longest = 1;
  const double bottom = head + kRow * static_cast<double>(chart.bars.size());
  const double left = left_of(chart.bars);
  pugi::xml_node svg = add_drawing(parent, {kChartWidth, bottom + kFoot}, chart.axis);
  add_legend(svg, chart.legend, std::min(left, 100.0));
  const SvgAxis axis{.high = longest, .from = left, .to = kBarsRight};
  for (std::size_t row = 0; row < chart.bars.size(); ++row)
    add_bar(svg, chart, chart.bars[row], axis, head + kRow * static_cast<double>(row));
  draw_line(svg, {left, bottom}, {kBarsRight, bottom});
  for (const double tick : axis.ticks()) {
    draw_line(svg, {axis.at(tick), bottom}, {axis.at(tick), bottom + 5});
    add_words(svg, {axis.at(tick), bottom + 20}, with_prefix(tick, chart.unit), "middle");
  }
  add_words(svg, {(left + kBarsRight) / 2, bottom + 40},
            std::string(chart.axis).append(" [").append(chart.unit).append("]"), "middle");
}

}  // namespace tileplan
