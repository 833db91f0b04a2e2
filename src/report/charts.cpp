// SPDX-License-Identifier: Apache-2.0
// Draws bars and rooflines. Coordinates are pixels from the top left corner.
#include "charts.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "check.h"
#include "svg.h"

namespace tileplan {
namespace {

constexpr double kWidth = 480, kLeft = 100, kRight = 392;
constexpr std::array kFills{"#1d3f5e", "#7ea6c8", "#dbe7f1", "#fff"};
constexpr const char* kInk = "#333";

pugi::xml_node draw_line(pugi::xml_node svg, SvgPoint from, SvgPoint to) {
  return add_line(svg, from, to, {{"stroke", kInk}});
}

void draw_box(pugi::xml_node svg, SvgPoint corner, SvgPoint size, std::size_t fill) {
  add_box(svg, corner, size, {{"fill", kFills[fill]}, {"stroke", kInk}});
}

double left_of(const std::vector<Bar>& bars) {
  constexpr double kLetter = 7.5, kMost = 190;
  double left = 0;
  for (const Bar& bar : bars)
    left = std::max(left, 16 + kLetter * static_cast<double>(bar.name.size()));
  return std::min(left, kMost);
}

void add_legend(pugi::xml_node svg, const std::vector<std::string>& names, double x) {
  constexpr double kSize = 14, kGap = 20, kLetter = 8;
  for (std::size_t i = 0; i < names.size(); ++i) {
    draw_box(svg, {x, 6}, {kSize, kSize}, i);
    add_words(svg, {x + kGap, 18}, names[i]);
    x += 2 * kGap + kLetter * static_cast<double>(names[i].size());
  }
}

struct Axes {
  SvgAxis x, y;
};

constexpr double kTop = 30, kBottom = 330;

Axes axes_of(const Roofline& roofline) {
  constexpr double kRoom = 3;
  Axes axes{.x = {.low = HUGE_VAL, .high = 0, .from = kLeft, .to = kRight, .log = true},
            .y = {.low = roofline.peak,
                  .high = roofline.peak * kRoom / 2,
                  .from = kBottom,
                  .to = kTop,
                  .log = true}};
  const auto show = [&](double flops_per_byte) {
    axes.x.low = std::min(axes.x.low, flops_per_byte / kRoom);
    axes.x.high = std::max(axes.x.high, flops_per_byte * kRoom);
  };
  for (const RooflinePoint& point : roofline.points) {
    show(point.flops_per_byte);
    axes.y.low = std::min(axes.y.low, point.flops_per_second / kRoom);
    axes.y.high = std::max(axes.y.high, point.flops_per_second * kRoom / 2);
  }
  for (const auto& [name, bandwidth] : roofline.bandwidths) {
    show(roofline.peak / bandwidth);
    axes.y.low = std::min(axes.y.low, roofline.peak / (kRoom * kRoom));
  }
  if (roofline.compulsory > 0) show(roofline.compulsory);
  return axes;
}

void add_axes(pugi::xml_node svg, const Axes& axes) {
  draw_line(svg, {kLeft, kBottom}, {kRight, kBottom});
  draw_line(svg, {kLeft, kBottom}, {kLeft, kTop});
  for (const double tick : axes.x.ticks()) {
    draw_line(svg, {axes.x.at(tick), kBottom}, {axes.x.at(tick), kBottom + 5});
    add_words(svg, {axes.x.at(tick), kBottom + 20}, with_prefix(tick, ""), "middle");
  }
  for (const double tick : axes.y.ticks()) {
    draw_line(svg, {kLeft - 5, axes.y.at(tick)}, {kLeft, axes.y.at(tick)});
    add_words(svg, {kLeft - 9, axes.y.at(tick) + 5}, with_prefix(tick, "flop/s"), "end");
  }
  add_words(svg, {(kLeft + kRight) / 2, kBottom + 42},
            "flops per byte that enters the cache [flop/B]", "middle");
}

/// Draws the peak, the slope of each bandwidth up to it, and the intensity of compulsory traffic.
void add_roofs(pugi::xml_node svg, const Axes& axes, const Roofline& roofline) {
  constexpr double kLabel = 24;
  const double roof = axes.y.at(roofline.peak);
  draw_line(svg, {kLeft, roof}, {kRight, roof}).append_attribute("stroke-width") = 2;
  add_words(svg, {kRight + 6, roof - 2}, "peak");
  add_words(svg, {kRight + 6, roof + 14}, with_prefix(roofline.peak, "flop/s"));
  double label = kBottom;
  for (const auto& [name, bandwidth] : roofline.bandwidths) {
    const double start = std::max(axes.x.low, axes.y.low / bandwidth);
    const SvgPoint foot{axes.x.at(start), axes.y.at(start * bandwidth)};
    const SvgPoint ridge{axes.x.at(roofline.peak / bandwidth), roof};
    draw_line(svg, foot, ridge);
    // Each name is above the one before it, so that slopes of equal bandwidth keep theirs apart.
    label = std::max(std::min(label, foot.y) - kLabel, roof + kLabel);
    const double share = (foot.y - label) / (foot.y - ridge.y);
    add_words(svg, {foot.x + share * (ridge.x - foot.x) + 9, label + 4}, name);
  }
  if (roofline.compulsory <= 0) return;
  const double x = axes.x.at(roofline.compulsory);
  draw_line(svg, {x, kBottom}, {x, roof}).append_attribute("stroke-dasharray") = "5 4";
  add_words(svg, {x - 5, kBottom - 6}, "compulsory", "end");
}

/// Writes names under their points, each lower than the one before it.
void add_points(pugi::xml_node svg, const Axes& axes, const Roofline& roofline) {
  constexpr double kSize = 8, kStep = 17, kRows = 5;
  double row = 0;
  for (const RooflinePoint& point : roofline.points) {
    const SvgPoint at{axes.x.at(point.flops_per_byte), axes.y.at(point.flops_per_second)};
    const double depth = 20 + kStep * std::fmod(row++, kRows);
    draw_box(svg, {at.x - kSize / 2, at.y - kSize / 2}, {kSize, kSize}, 0);
    draw_line(svg, at, {at.x, at.y + depth - 12}).append_attribute("stroke-width") = 0.5;
    add_words(svg, {at.x, at.y + depth}, point.name, "middle");
  }
}

}  // namespace

void add_bars(pugi::xml_node parent, const BarChart& chart) {
  TILEPLAN_CHECK(chart.legend.size() <= kFills.size(), "more parts than fills");
  constexpr double kRow = 26, kBar = 18, kFoot = 46;
  const double head = chart.legend.empty() ? 6 : 30;
  double longest = 0;
  for (const Bar& bar : chart.bars) longest = std::max(longest, total(bar));
  if (longest == 0) longest = 1;
  const double bottom = head + kRow * static_cast<double>(chart.bars.size());
  const double left = left_of(chart.bars);
  pugi::xml_node svg = add_drawing(parent, {kWidth, bottom + kFoot}, chart.axis);
  add_legend(svg, chart.legend, left);
  const SvgAxis axis{.high = longest, .from = left, .to = kRight};
  for (std::size_t row = 0; row < chart.bars.size(); ++row) {
    const double y = head + kRow * static_cast<double>(row);
    add_words(svg, {left - 8, y + 14}, chart.bars[row].name, "end");
    double x = left;
    for (std::size_t i = 0; i < chart.bars[row].parts.size(); ++i) {
      const double width = axis.at(chart.bars[row].parts[i]) - left;
      if (width > 0) draw_box(svg, {x, y}, {width, kBar}, i);
      x += width;
    }
    add_words(svg, {x + 6, y + 14}, with_prefix(total(chart.bars[row]), chart.unit));
  }
  draw_line(svg, {left, bottom}, {kRight, bottom});
  for (const double tick : axis.ticks()) {
    draw_line(svg, {axis.at(tick), bottom}, {axis.at(tick), bottom + 5});
    add_words(svg, {axis.at(tick), bottom + 20}, with_prefix(tick, chart.unit), "middle");
  }
  add_words(svg, {(left + kRight) / 2, bottom + 40},
            std::string(chart.axis).append(" [").append(chart.unit).append("]"), "middle");
}

void add_roofline(pugi::xml_node parent, const Roofline& roofline) {
  TILEPLAN_CHECK(!roofline.points.empty(), "a roofline without points");
  constexpr double kFoot = 52;
  const Axes axes = axes_of(roofline);
  pugi::xml_node svg = add_drawing(parent, {kWidth, kBottom + kFoot}, "Roofline");
  add_axes(svg, axes);
  add_roofs(svg, axes, roofline);
  add_points(svg, axes, roofline);
}

}  // namespace tileplan
