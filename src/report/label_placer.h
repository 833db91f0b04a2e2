// SPDX-License-Identifier: Apache-2.0
// The class LabelPlacer places the labels of a plot so that they cover neither other labels nor
// marks, if there is room.
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

struct LabelPlace {
  LabelBox box = {};
  SvgPoint anchor = {};  ///< The label is near this point of the mark or line that it names.
};

class LabelPlacer {
 public:
  /// A label leaves `area` only when no place inside it can be found.
  explicit LabelPlacer(const LabelBox& area) : area_(area) {}

  /// Reserves the box `mark`. A label covers it only when no other place inside the area of the
  /// plot is free.
  void add_mark(const LabelBox& mark) { marks_.push_back(mark); }

  /// Adds a line that labels may cross only where every place beside it is covered or clearly
  /// farther from their anchors.
  void add_line(SvgPoint from, SvgPoint to);

  /// Returns a place for `text` near one of `anchors`. The place is free if there is room. Later
  /// labels avoid its box.
  LabelPlace place(const std::string& text, const std::vector<SvgPoint>& anchors);

 private:
  double cost(const LabelBox& box) const;

  LabelBox area_;
  std::vector<LabelBox> marks_ = {};
  std::vector<SvgPoint> line_points_ = {};
};

}  // namespace tileplan
