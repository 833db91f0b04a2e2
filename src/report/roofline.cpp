// SPDX-License-Identifier: Apache-2.0
// This file draws rooflines. Coordinates are pixels from the top left corner.
#include <algorithm>
#include <cmath>

#include "charts.h"
#include "check.h"
#include "label_placer.h"

namespace tileplan {
namespace {

constexpr double kLeft = 100, kRight = 464;
constexpr double kFoot = 52;

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

std::string tick_text(double tick) {
  constexpr double kThousand = 1000;
  return tick < kThousand ? axis_text(tick) : with_prefix(tick, "");
}

void add_axes(pugi::xml_node svg, const Axes& axes) {
  const auto draw = [&](SvgPoint from, SvgPoint to) {
    add_line(svg, from, to, {{"class", "axis"}});
  };
  draw({kLeft, kBottom}, {kRight, kBottom});
  draw({kLeft, kBottom}, {kLeft, kTop});
  for (const double tick : axes.x.ticks()) {
    draw({axes.x.at(tick), kBottom}, {axes.x.at(tick), kBottom + 5});
    add_words(svg, {axes.x.at(tick), kBottom + 20}, tick_text(tick), "middle");
  }
  for (const double tick : axes.y.ticks()) {
    draw({kLeft - 5, axes.y.at(tick)}, {kLeft, axes.y.at(tick)});
    add_words(svg, {kLeft - 9, axes.y.at(tick) + 5}, with_prefix(tick, "flop/s"), "end");
  }
  add_words(svg, {(kLeft + kRight) / 2, kBottom + 42},
            "flops per byte that enters the cache [flop/B]", "middle");
}

/// Holds a label until all marks and lines are known. Then the label is placed near one of its
/// anchors.
struct Label {
  std::string text;
  std::vector<SvgPoint> anchors;
  bool is_of_point = false;
};

/// Returns points between 15 % and 85 % of the length of a line, at which a label can be anchored.
std::vector<SvgPoint> points_along(SvgPoint from, SvgPoint to) {
  std::vector<SvgPoint> points;
  for (const double share : {0.15, 0.3, 0.45, 0.6, 0.75, 0.85})
    points.push_back({from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)});
  return points;
}

class RooflineDrawing {
 public:
  RooflineDrawing(pugi::xml_node svg, const Axes& axes)
      : svg_(svg), axes_(axes), placer_({kLeft + 4, 2, kChartWidth - 2, kBottom - 3}) {}

  void add_roofs(const Roofline& roofline);
  void add_points(const Roofline& roofline);
  void add_labels();

 private:
  void add_point_label(const std::string& name, SvgPoint at);
  void draw(SvgPoint from, SvgPoint to, const char* style) {
    add_line(svg_, from, to, {{"class", style}});
    placer_.add_line(from, to);
  }

  pugi::xml_node svg_;
  const Axes& axes_;
  LabelPlacer placer_;
  std::vector<Label> labels_ = {};
};

/// Draws the peak, the bandwidths up to the peak, and the intensity at which each byte is moved
/// once, if it is known.
void RooflineDrawing::add_roofs(const Roofline& roofline) {
  const double roof = axes_.y.at(roofline.peak);
  draw({kLeft, roof}, {kRight, roof}, "roof");
  labels_.push_back({"peak " + with_prefix(roofline.peak, "flop/s"), {{kRight - 90, roof}}});
  for (const auto& [name, bandwidth] : roofline.bandwidths) {
    const double start = std::max(axes_.x.low, axes_.y.low / bandwidth);
    const SvgPoint foot{axes_.x.at(start), axes_.y.at(start * bandwidth)};
    const SvgPoint ridge{axes_.x.at(roofline.peak / bandwidth), roof};
    draw(foot, ridge, "axis");
    labels_.push_back({name, points_along(foot, ridge)});
  }
  if (roofline.compulsory <= 0) return;
  const double x = axes_.x.at(roofline.compulsory);
  draw({x, kBottom}, {x, roof}, "broken");
  labels_.push_back({"compulsory", points_along({x, kBottom}, {x, roof})});
}

void RooflineDrawing::add_points(const Roofline& roofline) {
  constexpr double kHalf = 4;
  for (const RooflinePoint& point : roofline.points) {
    const SvgPoint at{axes_.x.at(point.flops_per_byte), axes_.y.at(point.flops_per_second)};
    placer_.add_mark({at.x - kHalf, at.y - kHalf, at.x + kHalf, at.y + kHalf});
    add(add_box(svg_, {at.x - kHalf, at.y - kHalf}, {2 * kHalf, 2 * kHalf}, {{"class", "mark"}}),
        "title",
        point.name + ": " + axis_text(point.flops_per_byte) + " flop/B, " +
            with_prefix(point.flops_per_second, "flop/s"));
    add_point_label(point.name, at);
  }
}

/// Adds a label to a point. Points that are at most kSame pixels apart share a label.
void RooflineDrawing::add_point_label(const std::string& name, SvgPoint at) {
  constexpr double kSame = 6;
  for (Label& label : labels_) {
    const SvgPoint other = label.anchors.front();
    if (!label.is_of_point || std::hypot(other.x - at.x, other.y - at.y) > kSame) continue;
    label.text += ", " + name;
    return;
  }
  labels_.push_back({name, {at}, true});
}

/// Places the labels of points first, because they have the fewest possible places. A line connects
/// a label with what it names if they lie apart, because another line may pass between them.
void RooflineDrawing::add_labels() {
  constexpr double kBaseline = 4, kNear = 14;
  std::stable_partition(labels_.begin(), labels_.end(),
                        [](const Label& label) { return label.is_of_point; });
  for (const Label& label : labels_) {
    const auto [box, anchor] = placer_.place(label.text, label.anchors);
    const SvgPoint middle{(box.left + box.right) / 2, box.bottom - kBaseline};
    const SvgPoint edge{std::clamp(anchor.x, box.left, box.right),
                        std::clamp(anchor.y, box.top, box.bottom)};
    if (std::hypot(edge.x - anchor.x, edge.y - anchor.y) > kNear)
      add_line(svg_, anchor, edge, {{"class", "leader"}});
    add_words(svg_, middle, label.text, "middle").append_attribute("class") = "label";
  }
}

}  // namespace

void add_roofline(pugi::xml_node parent, const Roofline& roofline) {
  TILEPLAN_CHECK(!roofline.points.empty(), "a roofline without points");
  const Axes axes = axes_of(roofline);
  pugi::xml_node svg = add_drawing(parent, {kChartWidth, kBottom + kFoot}, "Roofline");
  add_axes(svg, axes);
  RooflineDrawing drawing(svg, axes);
  drawing.add_roofs(roofline);
  drawing.add_points(roofline);
  drawing.add_labels();
}

}  // namespace tileplan
