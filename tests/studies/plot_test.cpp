// SPDX-License-Identifier: Apache-2.0
// This test checks the SVG text of plots.
#include "plot.h"

#include <doctest/doctest.h>

#include "contains.h"

using namespace tileplan;

namespace {

/// Returns a plot whose points lie between 1 and 100 on both axes.
Plot scatter() {
  return {.titles = {.title = "a < b & c", .x = "predicted [ms]", .y = "measured [ms]"},
          .log_square = true,
          .series = {{.name = "drawn",
                      .mark = PlotMark::dot,
                      .points = {{.x = 1, .y = 1, .label = "first"}, {.x = 100, .y = 100}}},
                     {.name = "chosen", .mark = PlotMark::diamond, .points = {{10, 1}}}}};
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

}  // namespace

TEST_CASE("plot: both axes name their quantity and unit, text is escaped") {
  const std::string svg = plot_svg(scatter());
  CHECK(contains(svg, "predicted [ms]"));
  CHECK(contains(svg, "measured [ms]"));
  CHECK(contains(svg, "a &lt; b &amp; c"));
  CHECK(contains(svg, "<title>first</title>"));
}

TEST_CASE("plot: every point has a mark of its series, and the legend one more") {
  const std::string svg = plot_svg(scatter());
  CHECK(count(svg, "<circle ") == 3);
  CHECK(count(svg, "<path ") == 2);
  CHECK(contains(svg, ">drawn</text>"));
  CHECK(contains(svg, ">chosen</text>"));
}

TEST_CASE("plot: the axes are logarithmic, so 10 lies halfway between 1 and 100") {
  // The square begins at 80 and is 480 wide, so its middle is 320.
  CHECK(contains(plot_svg(scatter()), "d=\"M320.0 "));
}

TEST_CASE("plot: ticks stand at 1, 2 and 5 of each decade") {
  const std::string svg = plot_svg(scatter());
  for (const char* tick : {">1<", ">2<", ">5<", ">10<", ">20<", ">50<", ">100<"})
    CHECK_MESSAGE(count(svg, tick) == 2, tick);
}

TEST_CASE("plot: without points there are still axes") {
  const std::string svg = plot_svg({.titles = {.title = "empty"}, .log_square = true});
  CHECK(contains(svg, ">5<"));
  CHECK(count(svg, "<circle ") == 0);
}

TEST_CASE("plot: steps keep their height until the next point, lines do not, text is escaped") {
  Plot plot{.titles = {.title = "a < b"}, .log_x = true};
  plot.series = {{.name = "x & y", .mark = PlotMark::steps, .points = {{1, 0}, {10, 1}, {100, 3}}}};
  const std::string svg = plot_svg(plot);
  CHECK(svg.starts_with("<svg "));
  CHECK(contains(svg, "M80.0 528.0 L320.0 528.0 L320.0 368.0 L560.0 368.0 L560.0 48.0"));
  CHECK(contains(svg, "x &amp; y"));
  plot.series.front().mark = PlotMark::line;
  CHECK(contains(plot_svg(plot), "M80.0 528.0 L320.0 368.0 L560.0 48.0"));
  CHECK(plot_svg({}).starts_with("<svg "));
}

TEST_CASE("plot: a linear axis has round ticks, and one value stands in its middle") {
  Plot plot;
  plot.series = {{.name = "one", .points = {{0, 7}, {87, 7}}}};
  const std::string svg = plot_svg(plot);
  for (const char* tick : {">0<", ">50<", ">7<"}) CHECK_MESSAGE(contains(svg, tick), tick);
  CHECK(contains(svg, "M80.0 288.0 L560.0 288.0"));
}
