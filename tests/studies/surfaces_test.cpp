// SPDX-License-Identifier: Apache-2.0
// This test checks the minima of the papers' cost formulas, and where steepest descent ends.
#include "surfaces.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "studies.h"
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
  CHECK(cost_surfaces().size() == expected.size());
  for (const Surface& surface : cost_surfaces()) {
    CAPTURE(surface.name);
    const SurfaceShape shape = shape_of(surface);
    const Expected& want = expected.at(surface.name);
    CHECK(surface.heights[shape.minimum[0]] == want.height);
    CHECK(surface.widths[shape.minimum[1]] == want.width);
    CHECK(std::abs(shape.value - want.value) < 5e-8);
    CHECK(shape.local_minima == 1);
    CHECK(shape.descent.back() == shape.minimum);
    CHECK(shape.chain.back() == shape.minimum);
    CHECK(shape.starts == 400);
  }
}

TEST_CASE("surfaces: a plateau has no strict minimum, and descent stays at its start") {
  const SurfaceShape flat =
      shape_of({"flat", [](double, double) { return 1.0; }, {1, 2, 3}, {1, 2}});
  CHECK(flat.local_minima == 0);
  CHECK(flat.descent == std::vector<SpacePoint>{{0, 0}});
}

TEST_CASE("surfaces: a chain goes round a ridge that steepest descent does not cross") {
  // Steepest descent ends at the cost 5. The path to the minimum, whose cost is 1, goes through 9,
  // 8 and 7.
  const double costs[3][3] = {{10, 5, 9}, {9, 9, 9}, {8, 7, 1}};
  const Surface bent{
      "bent",
      [&](double h, double w) { return costs[static_cast<int>(h) - 1][static_cast<int>(w) - 1]; },
      {1, 2, 3},
      {1, 2, 3}};
  const SurfaceShape shape = shape_of(bent);
  CHECK(shape.descent == std::vector<SpacePoint>{{0, 0}, {0, 1}});
  CHECK(shape.chain == std::vector<SpacePoint>{{0, 0}, {1, 0}, {2, 0}, {2, 1}, {2, 2}});
  CHECK(shape.local_minima == 2);
  CHECK(shape.evaluations == 5);
  CHECK(
      surface_text(bent, shape).find("stops at (1, 2) after 5 of 9 points; a falling chain of 5") !=
      std::string::npos);
  const HeatMap map = heat_map_of(bent, shape);
  CHECK(map.path.size() == 2);
  CHECK(map.marked->column == 2);
}

TEST_CASE("surfaces: sizes that leave a remainder break descent, divisors restore it") {
  const std::vector<Surface> surfaces = remainder_surfaces();
  const SurfaceShape all = shape_of(surfaces[0]), divisors = shape_of(surfaces[1]);
  // Descent ends at a minimum from the widths 1, 3, 7, 9, 21 and 63, which divide 63, and from the
  // 8 widths next to them.
  CHECK(all.local_minima == 6);
  CHECK(all.starts == 64 * (6 + 8));
  CHECK(divisors.starts == 6 * 7);
  CHECK(divisors.local_minima == 0);  // All widths have equal cost.
}

TEST_CASE("surfaces: a tile that leaves the cache moves more than one that fits") {
  const Surface one = movement_surfaces()[0];
  // A 100 x 100 tile of C stays in the cache, while 2 * 10^12 / 100 elements of A and B are loaded.
  // The 10^8 elements of C are loaded and stored.
  CHECK(one.cost(100, 100) == 4 * (2 * 1e10 + 2 * 1e8));
  CHECK(one.cost(1000, 1000) > one.cost(100, 100));
  CHECK(one.cost(1, 1) > one.cost(10, 10));
  const SurfaceShape shape = shape_of(one);
  CHECK(one.heights[shape.minimum[0]] * one.widths[shape.minimum[1]] <= 16384);
}

TEST_CASE("study surfaces: a row per point, and the summary on disk as it was said") {
  const TemporaryFolder folder;
  std::string said;
  study_surfaces({.folder = folder / "out"}, [&](const std::string& text) { said += text; });
  CHECK(content_of(folder / "out/summary.txt") == said);
  const std::string table = content_of(folder / "out/surfaces.csv");
  CHECK(std::count(table.begin(), table.end(), '\n') ==
        2 + 8 * 20 * 20 + 63 * 64 + 6 * 7 + 2 * 25 * 25);
  CHECK(table.find("\nEUC,1,1,2\n") != std::string::npos);
  CHECK(content_of(folder / "out/surface-movement--64-KiB.svg").starts_with("<svg "));
}
