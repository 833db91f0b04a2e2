// SPDX-License-Identifier: Apache-2.0
// The text of a scatter plot.
#include "scatter.h"

#include <doctest/doctest.h>

#include "holds.h"

using namespace tileplan;

namespace {

/// Points at 1 and 100 on both axes.
ScatterPlot plot() {
  return {.title = "a < b & c",
          .x_title = "predicted",
          .y_title = "measured",
          .unit = "ms",
          .series = {{.name = "drawn",
                      .marker = Marker::dot,
                      .points = {{.x = 1, .y = 1, .label = "first"}, {.x = 100, .y = 100}}},
                     {.name = "chosen", .marker = Marker::diamond, .points = {{.x = 10, .y = 1}}}}};
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

}  // namespace

TEST_CASE("scatter: both axes name their quantity and unit, text is escaped") {
  const std::string svg = log_scatter_svg(plot());
  CHECK(holds(svg, "predicted [ms]"));
  CHECK(holds(svg, "measured [ms]"));
  CHECK(holds(svg, "a &lt; b &amp; c"));
  CHECK(holds(svg, "<title>first</title>"));
}

TEST_CASE("scatter: every point has a marker of its series, and the legend one more") {
  const std::string svg = log_scatter_svg(plot());
  CHECK(count(svg, "<circle ") == 3);
  CHECK(count(svg, "<path ") == 2);
  CHECK(holds(svg, ">drawn</text>"));
  CHECK(holds(svg, ">chosen</text>"));
}

TEST_CASE("scatter: the axes are logarithmic, so 10 lies halfway between 1 and 100") {
  // The square is 480 wide from 80, so its middle is 320.
  CHECK(holds(log_scatter_svg(plot()), "d=\"M320.0 "));
}

TEST_CASE("scatter: ticks stand at 1, 2 and 5 of each decade") {
  const std::string svg = log_scatter_svg(plot());
  for (const char* tick : {">1<", ">2<", ">5<", ">10<", ">20<", ">50<", ">100<"})
    CHECK_MESSAGE(count(svg, tick) == 2, tick);
}

TEST_CASE("scatter: without points there are still axes") {
  const std::string svg = log_scatter_svg({.title = "empty", .unit = "ms"});
  CHECK(holds(svg, ">10<"));
  CHECK(count(svg, "<circle ") == 0);
}
