// SPDX-License-Identifier: Apache-2.0
// Coordinates are pixels from the top left corner.
#include "svg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "check.h"

namespace tileplan {

namespace {

constexpr double kWidth = 480, kLeft = 100, kRight = 392, kFont = 14;
constexpr std::array kFills{"#1d3f5e", "#7ea6c8", "#dbe7f1", "#fff"};
constexpr std::array<double, 3> kRoundSteps{1, 2, 5};

/// An empty drawing.
pugi::xml_node drawing(pugi::xml_node parent, double height, const std::string& title) {
  pugi::xml_node svg = parent.append_child("svg");
  std::string box("0 0 ");
  box.append(fixed(kWidth, 0)).append(1, ' ').append(fixed(height, 0));
  svg.append_attribute("viewBox") = box.c_str();
  svg.append_attribute("role") = "img";
  svg.append_attribute("font-size") = kFont;
  add(svg, "title", title);
  return svg;
}

struct Point {
  double x = 0, y = 0;
};

struct Words {
  std::string text;
  const char* anchor = "start";
};

void put(pugi::xml_node svg, Point at, const Words& words) {
  pugi::xml_node node = add(svg, "text", words.text);
  node.append_attribute("x") = fixed(at.x, 1).c_str();
  node.append_attribute("y") = fixed(at.y, 1).c_str();
  node.append_attribute("text-anchor") = words.anchor;
}

pugi::xml_node line(pugi::xml_node svg, Point from, Point to) {
  pugi::xml_node node = svg.append_child("line");
  node.append_attribute("x1") = fixed(from.x, 1).c_str();
  node.append_attribute("y1") = fixed(from.y, 1).c_str();
  node.append_attribute("x2") = fixed(to.x, 1).c_str();
  node.append_attribute("y2") = fixed(to.y, 1).c_str();
  node.append_attribute("stroke") = "#333";
  return node;
}

void box(pugi::xml_node svg, Point corner, Point size, std::size_t fill) {
  pugi::xml_node node = svg.append_child("rect");
  node.append_attribute("x") = fixed(corner.x, 1).c_str();
  node.append_attribute("y") = fixed(corner.y, 1).c_str();
  node.append_attribute("width") = fixed(size.x, 1).c_str();
  node.append_attribute("height") = fixed(size.y, 1).c_str();
  node.append_attribute("fill") = kFills[fill];
  node.append_attribute("stroke") = "#333";
}

double total(const Bar& bar) { return std::accumulate(bar.parts.begin(), bar.parts.end(), 0.0); }

/// Where bars begin, so that their names have room.
double left_of(const std::vector<Bar>& bars) {
  constexpr double kLetter = 7.5, kMost = 190;
  double left = 0;
  for (const Bar& bar : bars)
    left = std::max(left, 16 + kLetter * static_cast<double>(bar.name.size()));
  return std::min(left, kMost);
}

/// The smallest of 1, 2, 5 times a power of ten that parts `length` into at most four.
double round_step(double length) {
  constexpr double kMost = 4, kBase = 10;
  for (double power = std::pow(kBase, std::floor(std::log10(length / kMost)));; power *= kBase)
    for (const double each : kRoundSteps)
      if (length / (each * power) <= kMost) return each * power;
}

void add_legend(pugi::xml_node svg, const std::vector<std::string>& names, double x) {
  constexpr double kSize = 14, kGap = 20, kLetter = 8;
  for (std::size_t i = 0; i < names.size(); ++i) {
    box(svg, {x, 6}, {kSize, kSize}, i);
    put(svg, {x + kGap, 18}, {names[i]});
    x += 2 * kGap + kLetter * static_cast<double>(names[i].size());
  }
}

/// A logarithmic axis: values, and the pixels that they stand at.
struct LogAxis {
  double low = 1, high = 10, from = 0, to = 1;

  double at(double value) const {
    return from + (to - from) * std::log(value / low) / std::log(high / low);
  }
  /// Powers of ten between the ends; 2 and 5 times them too where the axis is short.
  std::vector<double> ticks() const {
    constexpr double kBase = 10, kLong = 300;
    std::vector<double> ticks;
    for (double power = std::pow(kBase, std::floor(std::log10(low))); power <= high; power *= kBase)
      for (const double each : kRoundSteps)
        if (each * power >= low && each * power <= high && (each == 1 || high / low < kLong))
          ticks.push_back(each * power);
    return ticks;
  }
};

struct Axes {
  LogAxis x, y;
};

constexpr double kTop = 30, kBottom = 330;

/// Axes with room around everything that `roofline` shows.
Axes axes_of(const Roofline& roofline) {
  constexpr double kRoom = 3;
  Axes axes{
      .x = {.low = HUGE_VAL, .high = 0, .from = kLeft, .to = kRight},
      .y = {.low = roofline.peak, .high = roofline.peak * kRoom / 2, .from = kBottom, .to = kTop}};
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
  line(svg, {kLeft, kBottom}, {kRight, kBottom});
  line(svg, {kLeft, kBottom}, {kLeft, kTop});
  for (const double tick : axes.x.ticks()) {
    line(svg, {axes.x.at(tick), kBottom}, {axes.x.at(tick), kBottom + 5});
    put(svg, {axes.x.at(tick), kBottom + 20}, {with_prefix(tick, ""), "middle"});
  }
  for (const double tick : axes.y.ticks()) {
    line(svg, {kLeft - 5, axes.y.at(tick)}, {kLeft, axes.y.at(tick)});
    put(svg, {kLeft - 9, axes.y.at(tick) + 5}, {with_prefix(tick, "flop/s"), "end"});
  }
  put(svg, {(kLeft + kRight) / 2, kBottom + 42},
      {"flops per byte that enters the cache [flop/B]", "middle"});
}

/// The peak, the slope of each bandwidth up to it, and the intensity of compulsory traffic.
void add_roofs(pugi::xml_node svg, const Axes& axes, const Roofline& roofline) {
  constexpr double kLabel = 24;
  const double roof = axes.y.at(roofline.peak);
  line(svg, {kLeft, roof}, {kRight, roof}).append_attribute("stroke-width") = 2;
  put(svg, {kRight + 6, roof - 2}, {"peak"});
  put(svg, {kRight + 6, roof + 14}, {with_prefix(roofline.peak, "flop/s")});
  double label = kBottom;
  for (const auto& [name, bandwidth] : roofline.bandwidths) {
    const double start = std::max(axes.x.low, axes.y.low / bandwidth);
    const Point foot{axes.x.at(start), axes.y.at(start * bandwidth)};
    const Point ridge{axes.x.at(roofline.peak / bandwidth), roof};
    line(svg, foot, ridge);
    // Names one above the other: slopes of equal bandwidth keep theirs apart.
    label = std::max(std::min(label, foot.y) - kLabel, roof + kLabel);
    const double share = (foot.y - label) / (foot.y - ridge.y);
    put(svg, {foot.x + share * (ridge.x - foot.x) + 9, label + 4}, {name});
  }
  if (roofline.compulsory <= 0) return;
  const double x = axes.x.at(roofline.compulsory);
  line(svg, {x, kBottom}, {x, roof}).append_attribute("stroke-dasharray") = "5 4";
  put(svg, {x - 5, kBottom - 6}, {"compulsory", "end"});
}

/// Names stand under their points, each lower than the one before it, so that close points keep
/// theirs apart.
void add_points(pugi::xml_node svg, const Axes& axes, const Roofline& roofline) {
  constexpr double kSize = 8, kStep = 17, kRows = 5;
  double row = 0;
  for (const RooflinePoint& point : roofline.points) {
    const Point at{axes.x.at(point.flops_per_byte), axes.y.at(point.flops_per_second)};
    const double depth = 20 + kStep * std::fmod(row++, kRows);
    box(svg, {at.x - kSize / 2, at.y - kSize / 2}, {kSize, kSize}, 0);
    line(svg, at, {at.x, at.y + depth - 12}).append_attribute("stroke-width") = 0.5;
    put(svg, {at.x, at.y + depth}, {point.name, "middle"});
  }
}

}  // namespace

pugi::xml_node add(pugi::xml_node parent, const char* name, const std::string& text) {
  pugi::xml_node node = parent.append_child(name);
  if (!text.empty()) node.text().set(text.c_str());
  return node;
}

void add_bars(pugi::xml_node parent, const BarChart& chart) {
  TILEPLAN_CHECK(chart.legend.size() <= kFills.size(), "more parts than fills");
  constexpr double kRow = 26, kBar = 18, kFoot = 46;
  const double head = chart.legend.empty() ? 6 : 30;
  double longest = 0;
  for (const Bar& bar : chart.bars) longest = std::max(longest, total(bar));
  if (longest == 0) longest = 1;
  const double bottom = head + kRow * static_cast<double>(chart.bars.size());
  const double left = left_of(chart.bars);
  pugi::xml_node svg = drawing(parent, bottom + kFoot, chart.axis);
  add_legend(svg, chart.legend, left);
  const double scale = (kRight - left) / longest;
  for (std::size_t row = 0; row < chart.bars.size(); ++row) {
    const double y = head + kRow * static_cast<double>(row);
    put(svg, {left - 8, y + 14}, {chart.bars[row].name, "end"});
    double x = left;
    for (std::size_t i = 0; i < chart.bars[row].parts.size(); ++i) {
      const double width = scale * chart.bars[row].parts[i];
      if (width > 0) box(svg, {x, y}, {width, kBar}, i);
      x += width;
    }
    put(svg, {x + 6, y + 14}, {with_prefix(total(chart.bars[row]), chart.unit)});
  }
  line(svg, {left, bottom}, {kRight, bottom});
  const double step = round_step(longest);
  for (double tick = 0; tick <= longest; tick += step) {
    line(svg, {left + scale * tick, bottom}, {left + scale * tick, bottom + 5});
    put(svg, {left + scale * tick, bottom + 20}, {with_prefix(tick, chart.unit), "middle"});
  }
  put(svg, {(left + kRight) / 2, bottom + 40},
      {std::string(chart.axis).append(" [").append(chart.unit).append("]"), "middle"});
}

void add_roofline(pugi::xml_node parent, const Roofline& roofline) {
  TILEPLAN_CHECK(!roofline.points.empty(), "a roofline without points");
  constexpr double kFoot = 52;
  const Axes axes = axes_of(roofline);
  pugi::xml_node svg = drawing(parent, kBottom + kFoot, "Roofline");
  add_axes(svg, axes);
  add_roofs(svg, axes, roofline);
  add_points(svg, axes, roofline);
}

}  // namespace tileplan
