// SPDX-License-Identifier: Apache-2.0
// This test checks the SVG text of heat maps.
#include "heat_map.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "contains.h"

using namespace tileplan;

namespace {

/// Returns a map of 2 x 2 cells. The value 1 is at the lower left, and 100 at the upper right.
HeatMap map() {
  return {.titles = {.title = "a < b", .x = "tile of i [elements]", .y = "tile of j [elements]"},
          .x_labels = {"8", "16"},
          .y_labels = {"3", "5"},
          .value_title = "time [ms]",
          .values = {{1, 10}, {50.5, 100}}};
}

std::string cell(const std::string& svg, const std::string& title) {
  const std::size_t end = svg.find("<title>" + title + "</title>");
  return end == std::string::npos
             ? ""
             : svg.substr(svg.rfind("<rect", end), end - svg.rfind("<rect", end));
}

}  // namespace

TEST_CASE("heat map: axes and scale have titles with units, text is escaped") {
  const std::string svg = heat_map_svg(map());
  for (const char* part : {"tile of i [elements]", "tile of j [elements]", "time [ms]", "a &lt; b"})
    CHECK_MESSAGE(contains(svg, part), part);
  CHECK(svg.starts_with("<svg "));
}

TEST_CASE(
    "heat map: the lowest value is the lightest, the highest the darkest, halfway is halfway") {
  const std::string svg = heat_map_svg(map());
  CHECK(contains(cell(svg, "8, 3: 1"), "fill=\"#fde725\""));
  CHECK(contains(cell(svg, "16, 5: 100"), "fill=\"#440154\""));
  CHECK(contains(cell(svg, "8, 5: 50.5"), "fill=\"#21918c\""));
}

TEST_CASE("heat map: with logarithmic shades 10 lies halfway between 1 and 100") {
  HeatMap logarithmic = map();
  logarithmic.log_values = true;
  CHECK(contains(cell(heat_map_svg(logarithmic), "16, 3: 10"), "fill=\"#21918c\""));
}

TEST_CASE("heat map: columns go right, rows go up") {
  // The square begins at (80, 48), and its sides are 480 long.
  const std::string svg = heat_map_svg(map());
  CHECK(contains(cell(svg, "8, 3: 1"), "x=\"80.0\" y=\"288.0\""));
  CHECK(contains(cell(svg, "16, 5: 100"), "x=\"320.0\" y=\"48.0\""));
}

TEST_CASE("heat map: what is unknown is hatched and leaves the scale alone") {
  HeatMap holed = map();
  holed.values[1][1] = std::numeric_limits<double>::infinity();
  const std::string svg = heat_map_svg(holed);
  CHECK(contains(cell(svg, "16, 5: unknown"), "url(#unknown)"));
  CHECK(contains(cell(svg, "8, 5: 50.5"), "fill=\"#440154\""));
  holed.values = {{NAN, NAN}, {NAN, NAN}};
  CHECK(contains(heat_map_svg(holed), "</svg>"));
}

TEST_CASE("heat map: the path joins the middles of its cells, the mark sits on its own") {
  HeatMap walked = map();
  CHECK_FALSE(contains(heat_map_svg(walked), "<circle"));
  walked.path = {{.column = 0, .row = 0}, {.column = 1, .row = 0}, {.column = 1, .row = 1}};
  walked.marked = {.column = 1, .row = 1};
  const std::string svg = heat_map_svg(walked);
  CHECK(contains(svg, "M200.0 408.0 L440.0 408.0 L440.0 168.0\""));
  CHECK(contains(svg, "<circle cx=\"200.0\" cy=\"408.0\""));
  CHECK(contains(svg, "M440.0 160.0 l8.0 8.0"));
}

TEST_CASE("heat map: of long lists only some labels are written") {
  HeatMap wide = map();
  wide.y_labels = {"0"};
  wide.x_labels.clear();
  for (int i = 100; i < 141; ++i) wide.x_labels.push_back(std::to_string(i));
  wide.values = {std::vector<double>(wide.x_labels.size(), 1.0)};
  const std::string svg = heat_map_svg(wide);
  CHECK(contains(svg, ">103</text>"));
  CHECK_FALSE(contains(svg, ">104</text>"));
}
