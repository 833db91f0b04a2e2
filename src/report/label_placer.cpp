// SPDX-License-Identifier: Apache-2.0
// This file tries eight directions at increasing distances and takes the place of lowest cost.
#include "label_placer.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tileplan {
namespace {

constexpr double kLetter = 7.6, kHeight = 16;  // A letter has this width and height in pixels.
constexpr double kGap = 8;  // A label is this many pixels wider than its letters.

/// Returns the box of a label at `distance` from `at`. The components of `direction` are -1, 0 or
/// 1.
LabelBox box_beside(SvgPoint at, SvgPoint direction, double distance, double width) {
  const SvgPoint centre{at.x + direction.x * (distance + width / 2),
                        at.y + direction.y * (distance + kHeight / 2)};
  return {centre.x - width / 2, centre.y - kHeight / 2, centre.x + width / 2,
          centre.y + kHeight / 2};
}

}  // namespace

void LabelPlacer::add_line(SvgPoint from, SvgPoint to) {
  constexpr int kPoints = 100;
  for (int i = 0; i <= kPoints; ++i) {
    const double share = static_cast<double>(i) / kPoints;
    line_points_.push_back({from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)});
  }
}

double LabelPlacer::cost(const LabelBox& box) const {
  constexpr double kOutside = 1e6, kCovered = 1e4, kCrossed = 12;
  double cost = 0;
  if (box.left < area_.left || box.right > area_.right || box.top < area_.top ||
      box.bottom > area_.bottom)
    cost += kOutside;
  for (const LabelBox& mark : marks_) cost += box.overlaps(mark) ? kCovered : 0;
  for (const SvgPoint& point : line_points_)
    cost += point.x > box.left && point.x < box.right && point.y > box.top && point.y < box.bottom
                ? kCrossed
                : 0;
  return cost;
}

LabelPlace LabelPlacer::place(const std::string& text, const std::vector<SvgPoint>& anchors) {
  constexpr std::array<SvgPoint, 8> kDirections{
      {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, 1}, {1, -1}, {-1, -1}}};
  constexpr std::array<double, 7> kDistances{8, 16, 26, 38, 52, 70, 90};
  const double width = kGap + kLetter * static_cast<double>(text.size());
  LabelPlace best;
  double least = HUGE_VAL;
  for (const SvgPoint& anchor : anchors)
    for (const double distance : kDistances)
      for (const SvgPoint& direction : kDirections) {
        const LabelBox box = box_beside(anchor, direction, distance, width);
        const double price = distance + cost(box);
        if (price >= least) continue;
        least = price;
        best = {box, anchor};
      }
  marks_.push_back(best.box);
  return best;
}

}  // namespace tileplan
