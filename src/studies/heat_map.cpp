// SPDX-License-Identifier: Apache-2.0
// This file draws the cells first and the path last, so that the path stays visible.
#include "heat_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "check.h"

namespace tileplan {

namespace {

constexpr double kScaleLeft = kPlotRight + 28, kScaleWidth = 18;
constexpr int kScaleSteps = 48, kScaleTicks = 5;
constexpr std::size_t kMostLabels = 20;

/// These are five colours of matplotlib's viridis (CC0), whose lightness falls in even steps.
constexpr std::array<std::array<double, 3>, 5> kShades{
    {{253, 231, 37}, {94, 201, 98}, {33, 145, 140}, {59, 82, 139}, {68, 1, 84}}};

/// Returns the colour (#rrggbb) at `share` of the way from light to dark.
std::string shade(double share) {
  constexpr const char* kDigits = "0123456789abcdef";
  constexpr std::size_t kBase = 16;
  const double place = share * static_cast<double>(kShades.size() - 1);
  const std::size_t from = std::min(static_cast<std::size_t>(place), kShades.size() - 2);
  const double part = place - static_cast<double>(from);
  std::string text = "#";
  for (std::size_t channel = 0; channel < kShades[from].size(); ++channel) {
    const double value = std::lerp(kShades[from][channel], kShades[from + 1][channel], part);
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
  Drawing(const HeatMap& map, pugi::xml_node svg)
      : map_(map),
        svg_(svg),
        cell_{kPlotSide / static_cast<double>(map.x_labels.size()),
              kPlotSide / static_cast<double>(map.y_labels.size())} {
    for (const std::vector<double>& row : map.values)
      for (const double value : row) {
        if (!std::isfinite(value)) continue;
        low_ = std::min(low_, scaled(value));
        high_ = std::max(high_, scaled(value));
      }
  }

  void draw() {
    pugi::xml_node hatches = svg_.append_child("pattern");
    for (const auto& [name, value] : {std::pair("id", "unknown"),
                                      {"width", "6"},
                                      {"height", "6"},
                                      {"patternUnits", "userSpaceOnUse"}})
      hatches.append_attribute(name) = value;
    add_path(hatches, "M0 6 L6 0", {{"stroke", "#a0a0a0"}});
    for (std::size_t row = 0; row < map_.values.size(); ++row)
      for (std::size_t column = 0; column < map_.x_labels.size(); ++column)
        draw_cell({.column = column, .row = row});
    draw_labels();
    if (low_ <= high_) draw_scale();
    draw_path();
  }

 private:
  double scaled(double value) const {
    TILEPLAN_CHECK(!map_.log_values || value > 0, "a logarithmic scale has no place for it");
    return map_.log_values ? std::log10(value) : value;
  }

  SvgPoint middle(const HeatCell& cell) const {
    return {kPlotCorner.x + (static_cast<double>(cell.column) + 0.5) * cell_.x,
            kPlotBottom - (static_cast<double>(cell.row) + 0.5) * cell_.y};
  }

  void draw_cell(const HeatCell& cell) {
    const double value = map_.values[cell.row][cell.column];
    const bool known = std::isfinite(value);
    const double share = high_ > low_ && known ? (scaled(value) - low_) / (high_ - low_) : 0;
    const SvgPoint at = middle(cell);
    const std::string fill = known ? shade(share) : "url(#unknown)";
    add(add_box(svg_, {at.x - cell_.x / 2, at.y - cell_.y / 2}, cell_, {{"fill", fill.c_str()}}),
        "title",
        map_.x_labels[cell.column] + ", " + map_.y_labels[cell.row] + ": " +
            (known ? axis_text(value) : "unknown"));
  }

  /// Writes every label of a short list, and every n-th label of a longer list.
  void draw_labels() {
    const auto stride = [](const std::vector<std::string>& labels) {
      return (labels.size() + kMostLabels - 1) / kMostLabels;
    };
    for (std::size_t i = 0; i < map_.x_labels.size(); i += stride(map_.x_labels))
      add_words(svg_, {middle({.column = i}).x, kPlotBottom + 18}, map_.x_labels[i], "middle");
    for (std::size_t i = 0; i < map_.y_labels.size(); i += stride(map_.y_labels))
      add_words(svg_, {kPlotCorner.x - 8, middle({.row = i}).y + 4}, map_.y_labels[i], "end");
  }

  void draw_scale() {
    constexpr double kStep = kPlotSide / kScaleSteps;
    for (int i = 0; i < kScaleSteps; ++i)
      add_box(svg_, {kScaleLeft, kPlotBottom - kStep * (i + 1)}, {kScaleWidth, kStep},
              {{"fill", shade((i + 0.5) / kScaleSteps).c_str()}});
    for (int i = 0; i <= kScaleTicks; ++i) {
      const double share = static_cast<double>(i) / kScaleTicks;
      const double value = std::lerp(low_, high_, share);
      add_words(svg_, {kScaleLeft + kScaleWidth + 6, kPlotBottom - kPlotSide * share + 4},
                axis_text(map_.log_values ? std::pow(10, value) : value));
    }
    add_words(svg_, {kScaleLeft + kScaleWidth, kPlotCorner.y - 16}, map_.value_title, "middle");
  }

  void draw_path() {
    constexpr double kRadius = 6, kHalf = 8;
    std::string path;
    for (const HeatCell& cell : map_.path)
      path.append(path.empty() ? "M" : " L").append(svg_text(middle(cell)));
    if (!path.empty()) {
      add_path(svg_, path, {{"fill", "none"}, {"stroke", "#d55e00"}, {"stroke-width", "2.5"}});
      add_circle(svg_, middle(map_.path.front()), kRadius,
                 {{"fill", "white"}, {"stroke", "#d55e00"}, {"stroke-width", "2.5"}});
    }
    if (map_.marked)
      add_diamond(svg_, middle(*map_.marked), kHalf, {{"fill", "white"}, {"stroke", "black"}});
  }

  const HeatMap& map_;
  pugi::xml_node svg_;
  SvgPoint cell_;  ///< Each cell has this size in pixels.
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
};

}  // namespace

std::string heat_map_svg(const HeatMap& map) {
  require_sound(map);
  return plot_document(map.titles, [&](pugi::xml_node svg) { Drawing(map, svg).draw(); });
}

}  // namespace tileplan
