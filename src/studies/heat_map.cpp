// SPDX-License-Identifier: Apache-2.0
// Cells, axes, the scale of shades, the path on top.
#include "heat_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "check.h"
#include "svg_page.h"

namespace tileplan {

namespace {

constexpr double kLeft = 80, kTop = 48, kPlotWidth = 480, kPlotHeight = 480;
constexpr double kWidth = 700, kHeight = 600;
constexpr double kScaleLeft = kLeft + kPlotWidth + 28, kScaleWidth = 18;
constexpr int kScaleSteps = 48, kScaleTicks = 5;
/// Labels of one axis that are written at most; of longer lists every second, third, ... one.
constexpr std::size_t kMostLabels = 20;

struct Colour {
  double red = 0, green = 0, blue = 0;
};

/// Five colours of matplotlib's viridis (CC0) from its light to its dark end: even steps of
/// lightness, also for colour-blind readers and in grey.
constexpr std::array kShades{Colour{253, 231, 37}, Colour{94, 201, 98}, Colour{33, 145, 140},
                             Colour{59, 82, 139}, Colour{68, 1, 84}};

/// The shade at `share` of the way from light to dark, as #rrggbb.
std::string shade(double share) {
  constexpr const char* kDigits = "0123456789abcdef";
  constexpr std::size_t kBase = 16;
  const double place = share * static_cast<double>(kShades.size() - 1);
  const std::size_t from = std::min(static_cast<std::size_t>(place), kShades.size() - 2);
  const double part = place - static_cast<double>(from);
  std::string text = "#";
  for (double Colour::*channel : {&Colour::red, &Colour::green, &Colour::blue}) {
    const double value = std::lerp(kShades[from].*channel, kShades[from + 1].*channel, part);
    const auto whole = static_cast<std::size_t>(std::lround(value));
    text += {kDigits[whole / kBase], kDigits[whole % kBase]};
  }
  return text;
}

void require_sound(const HeatMap& map) {
  TILEPLAN_CHECK(!map.x_labels.empty() && !map.y_labels.empty(), "a heat map without cells");
  TILEPLAN_CHECK(map.values.size() == map.y_labels.size(), "a heat map with rows but no labels");
  for (const std::vector<double>& row : map.values)
    TILEPLAN_CHECK(row.size() == map.x_labels.size(), "a heat map with an uneven row");
  const auto is_inside = [&](const HeatCell& cell) {
    return cell.column < map.x_labels.size() && cell.row < map.y_labels.size();
  };
  TILEPLAN_CHECK(std::all_of(map.path.begin(), map.path.end(), is_inside), "a path that leaves");
  TILEPLAN_CHECK(!map.marked || is_inside(*map.marked), "a mark outside");
}

class Drawing {
 public:
  explicit Drawing(const HeatMap& map)
      : map_(map),
        page_({kWidth, kHeight}),
        cell_width_(kPlotWidth / static_cast<double>(map.x_labels.size())),
        cell_height_(kPlotHeight / static_cast<double>(map.y_labels.size())) {
    for (const std::vector<double>& row : map.values)
      for (const double value : row) {
        if (!std::isfinite(value)) continue;
        low_ = std::min(low_, scaled(value));
        high_ = std::max(high_, scaled(value));
      }
  }

  std::string text() {
    page_.words({kLeft + kPlotWidth / 2, kTop - 20}, "middle", map_.title);
    page_.out() << "<pattern id=\"unknown\" width=\"6\" height=\"6\" "
                   "patternUnits=\"userSpaceOnUse\"><path d=\"M0 6 L6 0\" "
                   "stroke=\"#a0a0a0\"/></pattern>\n";
    for (std::size_t row = 0; row < map_.values.size(); ++row)
      for (std::size_t column = 0; column < map_.x_labels.size(); ++column)
        draw_cell({.column = column, .row = row});
    draw_axes();
    if (low_ <= high_) draw_scale();
    draw_path();
    return page_.text();
  }

 private:
  double scaled(double value) const {
    TILEPLAN_CHECK(!map_.log_values || value > 0, "a logarithmic scale has no place for it");
    return map_.log_values ? std::log10(value) : value;
  }

  /// The middle of a cell.
  PagePoint middle(const HeatCell& cell) const {
    return {kLeft + (static_cast<double>(cell.column) + 0.5) * cell_width_,
            kTop + kPlotHeight - (static_cast<double>(cell.row) + 0.5) * cell_height_};
  }

  void draw_cell(const HeatCell& cell) {
    const double value = map_.values[cell.row][cell.column];
    const bool known = std::isfinite(value);
    const double share = high_ > low_ && known ? (scaled(value) - low_) / (high_ - low_) : 0;
    const PagePoint at = middle(cell);
    page_.out() << "<rect x=\"" << at.x - cell_width_ / 2 << "\" y=\"" << at.y - cell_height_ / 2
                << "\" width=\"" << cell_width_ << "\" height=\"" << cell_height_ << "\" fill=\""
                << (known ? shade(share) : "url(#unknown)") << "\"><title>"
                << xml_escaped(map_.x_labels[cell.column] + ", " + map_.y_labels[cell.row] + ": " +
                               (known ? axis_number(value) : "unknown"))
                << "</title></rect>\n";
  }

  void draw_axes() {
    const double bottom = kTop + kPlotHeight;
    const std::size_t each_x = (map_.x_labels.size() + kMostLabels - 1) / kMostLabels;
    const std::size_t each_y = (map_.y_labels.size() + kMostLabels - 1) / kMostLabels;
    for (std::size_t i = 0; i < map_.x_labels.size(); i += each_x)
      page_.words({middle({.column = i}).x, bottom + 18}, "middle", map_.x_labels[i]);
    for (std::size_t i = 0; i < map_.y_labels.size(); i += each_y)
      page_.words({kLeft - 8, middle({.row = i}).y + 4}, "end", map_.y_labels[i]);
    page_.words({kLeft + kPlotWidth / 2, bottom + 42}, "middle", map_.x_title);
    page_.sideways({22, kTop + kPlotHeight / 2}, map_.y_title);
  }

  void draw_scale() {
    constexpr double kStep = kPlotHeight / kScaleSteps;
    for (int i = 0; i < kScaleSteps; ++i)
      page_.out() << "<rect x=\"" << kScaleLeft << "\" y=\"" << kTop + kPlotHeight - kStep * (i + 1)
                  << "\" width=\"" << kScaleWidth << "\" height=\"" << kStep << "\" fill=\""
                  << shade((i + 0.5) / kScaleSteps) << "\"/>\n";
    for (int i = 0; i <= kScaleTicks; ++i) {
      const double share = static_cast<double>(i) / kScaleTicks;
      const double value = std::lerp(low_, high_, share);
      page_.words({kScaleLeft + kScaleWidth + 6, kTop + kPlotHeight * (1 - share) + 4}, "start",
                  axis_number(map_.log_values ? std::pow(10, value) : value));
    }
    page_.words({kScaleLeft + kScaleWidth, kTop - 16}, "middle", map_.value_title);
  }

  void draw_path() {
    constexpr double kRadius = 6, kHalf = 8;
    std::ostringstream& out = page_.out();
    for (std::size_t i = 0; i < map_.path.size(); ++i) {
      const PagePoint at = middle(map_.path[i]);
      out << (i == 0 ? "<path fill=\"none\" stroke=\"#d55e00\" stroke-width=\"2.5\" d=\"M" : " L")
          << at.x << ' ' << at.y << (i + 1 == map_.path.size() ? "\"/>\n" : "");
    }
    if (!map_.path.empty()) {
      const PagePoint at = middle(map_.path.front());
      out << "<circle cx=\"" << at.x << "\" cy=\"" << at.y << "\" r=\"" << kRadius
          << "\" fill=\"white\" stroke=\"#d55e00\" stroke-width=\"2.5\"/>\n";
    }
    if (!map_.marked) return;
    const PagePoint at = middle(*map_.marked);
    out << "<path d=\"M" << at.x << ' ' << at.y - kHalf << " l" << kHalf << ' ' << kHalf << " l"
        << -kHalf << ' ' << kHalf << " l" << -kHalf << ' ' << -kHalf
        << " z\" fill=\"white\" stroke=\"black\"/>\n";
  }

  const HeatMap& map_;
  SvgPage page_;
  double cell_width_, cell_height_;
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
};

}  // namespace

std::string heat_map_svg(const HeatMap& map) {
  require_sound(map);
  return Drawing(map).text();
}

}  // namespace tileplan
