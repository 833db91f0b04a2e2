// SPDX-License-Identifier: Apache-2.0
// This file makes SVG elements with pugixml, which escapes their text.
#include "svg.h"

#include <array>
#include <cmath>
#include <sstream>

#include "document.h"

namespace tileplan {
namespace {

constexpr std::array<double, 3> kRoundSteps{1, 2, 5};
constexpr double kBase = 10;

pugi::xml_node add_shape(pugi::xml_node svg, const char* name,
                         std::initializer_list<std::pair<const char*, double>> numbers,
                         SvgStyle style) {
  pugi::xml_node node = svg.append_child(name);
  for (const auto& [attribute, value] : numbers)
    node.append_attribute(attribute) = fixed(value, 1).c_str();
  for (const auto& [attribute, value] : style) node.append_attribute(attribute) = value;
  return node;
}

/// Returns the smallest 1, 2 or 5 times a power of ten that is at least a quarter of `length`, as
/// the distance of ticks.
double round_step(double length) {
  constexpr double kMost = 4;
  for (double power = std::pow(kBase, std::floor(std::log10(length / kMost)));; power *= kBase)
    for (const double each : kRoundSteps)
      if (length / (each * power) <= kMost) return each * power;
}

std::string view_box(SvgPoint size) {
  return std::string("0 0 ").append(fixed(size.x, 0)).append(1, ' ').append(fixed(size.y, 0));
}

}  // namespace

pugi::xml_node add(pugi::xml_node parent, const char* name, const std::string& text) {
  pugi::xml_node node = parent.append_child(name);
  if (!text.empty()) node.text().set(text.c_str());
  return node;
}

pugi::xml_node add_drawing(pugi::xml_node parent, SvgPoint size, const std::string& title) {
  pugi::xml_node svg = parent.append_child("svg");
  svg.append_attribute("viewBox") = view_box(size).c_str();
  svg.append_attribute("role") = "img";
  svg.append_attribute("font-size") = 14;
  add(svg, "title", title);
  return svg;
}

pugi::xml_node add_line(pugi::xml_node svg, SvgPoint from, SvgPoint to, SvgStyle style) {
  return add_shape(svg, "line", {{"x1", from.x}, {"y1", from.y}, {"x2", to.x}, {"y2", to.y}},
                   style);
}

pugi::xml_node add_box(pugi::xml_node svg, SvgPoint corner, SvgPoint size, SvgStyle style) {
  return add_shape(svg, "rect",
                   {{"x", corner.x}, {"y", corner.y}, {"width", size.x}, {"height", size.y}},
                   style);
}

pugi::xml_node add_circle(pugi::xml_node svg, SvgPoint centre, double radius, SvgStyle style) {
  return add_shape(svg, "circle", {{"cx", centre.x}, {"cy", centre.y}, {"r", radius}}, style);
}

pugi::xml_node add_diamond(pugi::xml_node svg, SvgPoint centre, double half, SvgStyle style) {
  std::string commands("M");
  commands += svg_text({centre.x, centre.y - half});
  for (const SvgPoint side : {SvgPoint{half, half}, {-half, half}, {-half, -half}})
    commands.append(" l").append(svg_text(side));
  return add_path(svg, commands + " z", style);
}

pugi::xml_node add_path(pugi::xml_node svg, const std::string& commands, SvgStyle style) {
  pugi::xml_node node = add_shape(svg, "path", {}, style);
  node.append_attribute("d") = commands.c_str();
  return node;
}

pugi::xml_node add_words(pugi::xml_node svg, SvgPoint at, const std::string& text,
                         const char* anchor) {
  pugi::xml_node node =
      add_shape(svg, "text", {{"x", at.x}, {"y", at.y}}, {{"text-anchor", anchor}});
  node.text().set(text.c_str());
  return node;
}

std::string svg_text(SvgPoint point) { return fixed(point.x, 1) + ' ' + fixed(point.y, 1); }

std::string axis_text(double value) {
  std::ostringstream text;
  text.precision(4);
  text << value;
  return text.str();
}

double SvgAxis::at(double value) const {
  if (low == high) return (from + to) / 2;
  const double share =
      log ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  return from + (to - from) * share;
}

std::vector<double> SvgAxis::ticks() const {
  constexpr double kLong = 300;
  std::vector<double> ticks;
  if (!log) {
    const double step = high > low ? round_step(high - low) : 1;
    for (double tick = step * std::ceil(low / step); tick <= high; tick += step)
      ticks.push_back(tick);
    return ticks;
  }
  for (double power = std::pow(kBase, std::floor(std::log10(low))); power <= high; power *= kBase)
    for (const double each : kRoundSteps)
      if (each * power >= low && each * power <= high && (each == 1 || high / low < kLong))
        ticks.push_back(each * power);
  return ticks;
}

std::string plot_document(const PlotTitles& titles,
                          const std::function<void(pugi::xml_node svg)>& draw) {
  constexpr SvgPoint kSize{780, 600};
  pugi::xml_document document;
  pugi::xml_node svg = document.append_child("svg");
  svg.append_attribute("xmlns") = "http://www.w3.org/2000/svg";
  svg.append_attribute("viewBox") = view_box(kSize).c_str();
  svg.append_attribute("font-family") = "sans-serif";
  svg.append_attribute("font-size") = 13;
  add_box(svg, {}, kSize, {{"fill", "white"}});
  const double middle = kPlotCorner.x + kPlotSide / 2;
  add_words(svg, {middle, 28}, titles.title, "middle");
  add_words(svg, {middle, kPlotBottom + 44}, titles.x, "middle");
  pugi::xml_node turned = svg.append_child("g");
  const std::string turn = std::string("translate(")
                               .append(svg_text({22, kPlotCorner.y + kPlotSide / 2}))
                               .append(") rotate(-90)");
  turned.append_attribute("transform") = turn.c_str();
  add_words(turned, {}, titles.y, "middle");
  draw(svg);
  std::ostringstream text;
  document.save(text, " ", pugi::format_indent | pugi::format_no_declaration);
  return text.str();
}

}  // namespace tileplan
