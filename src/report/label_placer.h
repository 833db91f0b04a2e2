// SPDX-License-Identifier: Apache-2.0
// This file finds places for the labels of a plot at which they cover no other label and no mark.
#pragma once

#include <string>
#include <vector>

#include "svg.h"

namespace tileplan {

struct LabelBox {
  double left = 0, top = 0, right = 0, bottom = 0;

  bool overlaps(const LabelBox& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

class LabelPlacer {
 public:
  /// Labels stay inside `area`.
  explicit LabelPlacer(const LabelBox& area) : area_(area) {}

  /// Labels cover `mark` only where nothing else is free.
  void add_mark(const LabelBox& mark) { marks_.push_back(mark); }

  /// Labels prefer places that the line does not cross.
  void add_line(SvgPoint from, SvgPoint to);

  /// Returns the box of `text` that is nearest to one of `anchors` and free. Later labels avoid it.
  LabelBox place(const std::string& text, const std::vector<SvgPoint>& anchors);

 private:
  double cost(const LabelBox& box) const;

  LabelBox area_;
  std::vector<LabelBox> marks_ = {};
  std::vector<SvgPoint> line_points_ = {};
};

}  // namespace tileplan
