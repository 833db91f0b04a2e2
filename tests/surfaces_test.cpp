// SPDX-License-Identifier: Apache-2.0
// The papers' cost formulas: minima as published, and that descent finds them.
#include "surfaces.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "line_plot.h"
#include "temporary_folder.h"

using namespace tileplan;

TEST_CASE(
    "surfaces: each formula has one strict local minimum, where the paper says, and descent "
    "reaches it") {
  struct Expected {
    std::int64_t height, width;
    double value;
  };
  const std::map<std::string, Expected> expected{
      {"ESS", {96, 96, 0.0034722}}, {"WMC", {96, 96, 0.0034722}}, {"LRW", {6, 6, 0.8958333}},
      {"TSS", {96, 96, 0.03125}},   {"EUC", {96, 96, 0.0208333}}, {"MOON", {6, 6, 0.7083333}},
      {"TLI", {6, 96, -2.0729167}}, {"MHCF", {96, 96, 0.0212717}}};
  const std::vector<std::int64_t> sizes = surface_sizes();
  CHECK(cost_surfaces().size() == expected.size());
  for (const Surface& surface : cost_surfaces()) {
    CAPTURE(surface.name);
    const SurfaceShape shape = shape_of(surface);
    const Expected& want = expected.at(surface.name);
    CHECK(sizes[shape.minimum[0]] == want.height);
    CHECK(sizes[shape.minimum[1]] == want.width);
    CHECK(std::abs(shape.value - want.value) < 5e-8);
    CHECK(shape.local_minima == 1);
    CHECK(shape.descent == shape.minimum);
  }
}

TEST_CASE("surfaces: a plateau has no strict minimum, and descent stays at its start") {
  const SurfaceShape flat = shape_of({"flat", [](double, double) { return 1.0; }});
  CHECK(flat.local_minima == 0);
  CHECK(flat.descent == SpacePoint{0, 0});
}

TEST_CASE("study surfaces: a row per point, and the summary on disk as it was said") {
  const TemporaryFolder folder;
  std::string said;
  study_surfaces(folder / "out", [&](const std::string& text) { said += text; });
  CHECK(content_of(folder / "out/summary.txt") == said);
  const std::string table = content_of(folder / "out/surfaces.csv");
  CHECK(std::count(table.begin(), table.end(), '\n') == 2 + 8 * 20 * 20);
  CHECK(table.find("\nEUC,1,1,2\n") != std::string::npos);
}

TEST_CASE("line plot: steps keep their height until the next point, the legend is escaped") {
  LinePlot plot{.title = "a < b", .log_x = true, .steps = true};
  plot.series = {{.name = "x & y", .points = {{1, 0}, {10, 1}, {100, 3}}}};
  const std::string svg = line_plot_svg(plot);
  CHECK(svg.starts_with("<svg "));
  CHECK(svg.find("M80.0 428.0 H340.0 V301.3 H600.0 V48.0") != std::string::npos);
  CHECK(svg.find("a &lt; b") != std::string::npos);
  CHECK(svg.find("x &amp; y") != std::string::npos);
  plot.steps = false;
  CHECK(line_plot_svg(plot).find("M80.0 428.0 L340.0 301.3 L600.0 48.0") != std::string::npos);
  CHECK(line_plot_svg({}).find("<svg") == 0);
}
