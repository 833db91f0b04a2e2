// SPDX-License-Identifier: Apache-2.0
// This file draws timelines and curves over steps. Coordinates are pixels from the top left corner.
#include <algorithm>

#include "charts.h"
#include "svg.h"

namespace tileplan {
namespace {

constexpr double kSpansLeft = 92, kSpansRight = 444, kSpansFoot = 46;

void draw_axis_line(pugi::xml_node svg, SvgPoint from, SvgPoint to) {
  add_line(svg, from, to, {{"class", "axis"}});
}

/// Draws the horizontal axis at `bottom` with its ticks.
void add_time_axis(pugi::xml_node svg, const SvgAxis& axis, double bottom) {
  draw_axis_line(svg, {kSpansLeft, bottom}, {kSpansRight, bottom});
  for (const double tick : axis.ticks()) {
    draw_axis_line(svg, {axis.at(tick), bottom}, {axis.at(tick), bottom + 5});
    add_words(svg, {axis.at(tick), bottom + 20}, with_prefix(tick, "s"), "middle");
  }
}

double total_seconds(const std::vector<TimelineSpan>& spans) {
  double seconds = 0;
  for (const TimelineSpan& span : spans) seconds += span.seconds;
  return seconds;
}

/// Draws the spans of one lane. Spans of zero time are left out.
void add_lane(pugi::xml_node svg, const SvgAxis& axis, const std::vector<TimelineSpan>& spans,
              double y) {
  constexpr double kHeight = 30;
  double begin = 0;
  for (const TimelineSpan& span : spans) {
    const double left = axis.at(begin), right = axis.at(begin + span.seconds);
    begin += span.seconds;
    if (span.seconds <= 0) continue;
    const std::string fill = std::string("s").append(std::to_string(span.colour));
    add(add_box(svg, {left, y}, {right - left, kHeight}, {{"class", fill.c_str()}}), "title",
        span.hint);
  }
}

}  // namespace

void add_timeline(pugi::xml_node parent, const Timeline& timeline) {
  constexpr double kHead = 6, kRow = 44;
  double longest = 0;
  for (const auto& [name, spans] : timeline.lanes)
    longest = std::max(longest, total_seconds(spans));
  const SvgAxis axis{.high = longest > 0 ? longest : 1, .from = kSpansLeft, .to = kSpansRight};
  const double bottom = kHead + kRow * static_cast<double>(timeline.lanes.size());
  pugi::xml_node svg = add_drawing(parent, {kChartWidth, bottom + kSpansFoot}, "Timeline");
  double y = kHead;
  for (const auto& [name, spans] : timeline.lanes) {
    add_words(svg, {kSpansLeft - 8, y + 20}, name, "end");
    add_lane(svg, axis, spans, y);
    y += kRow;
  }
  add_time_axis(svg, axis, bottom);
  add_words(svg, {(kSpansLeft + kSpansRight) / 2, bottom + 40}, "time in one run [s]", "middle");
}

void add_curve(pugi::xml_node parent, const StepCurve& curve) {
  constexpr double kTop = 24, kBottom = 160;
  double most = 0;
  for (const double value : curve.values) most = std::max(most, value);
  for (const auto& [name, value] : curve.limits) most = std::max(most, value);
  const auto steps = static_cast<double>(std::max<std::size_t>(1, curve.values.size()));
  const SvgAxis x{.high = steps, .from = kSpansLeft, .to = kSpansRight},
      y{.high = most > 0 ? most : 1, .from = kBottom, .to = kTop};
  pugi::xml_node svg = add_drawing(parent, {kChartWidth, kBottom + kSpansFoot}, curve.name);
  std::string path("M");
  path += svg_text({kSpansLeft, kBottom});
  for (std::size_t i = 0; i < curve.values.size(); ++i) {
    const auto at = static_cast<double>(i);
    path.append(" L").append(svg_text({x.at(at), y.at(curve.values[i])}));
    path.append(" L").append(svg_text({x.at(at + 1), y.at(curve.values[i])}));
  }
  path.append(" L").append(svg_text({kSpansRight, kBottom})).append(" z");
  add_path(svg, path, {{"class", "s0"}});
  double label = kTop - 8;
  for (const auto& [name, value] : curve.limits) {
    add_line(svg, {kSpansLeft, y.at(value)}, {kSpansRight, y.at(value)}, {{"class", "broken"}});
    std::string text = name;
    text.append(": ").append(with_prefix(value, curve.unit));
    add_words(svg, {label < kTop ? kSpansLeft : kSpansRight, kTop - 8}, text,
              label < kTop ? "start" : "end");
    label = kTop;
  }
  draw_axis_line(svg, {kSpansLeft, kBottom}, {kSpansRight, kBottom});
  for (const double tick : y.ticks())
    add_words(svg, {kSpansLeft - 8, y.at(tick) + 5}, with_prefix(tick, curve.unit), "end");
  std::string title = curve.name;
  title.append(" in each step of a run");
  add_words(svg, {(kSpansLeft + kSpansRight) / 2, kBottom + 24}, title, "middle");
}

}  // namespace tileplan
