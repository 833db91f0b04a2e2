// SPDX-License-Identifier: Apache-2.0
// This test compares shares of the peak with numbers computed by hand, and checks the labels of
// their plot.
#include <doctest/doctest.h>

#include "close_to.h"
#include "even_vs_uneven.h"

using namespace tileplan;

TEST_CASE("share curve: half of two schedules reach what the faster one does") {
  const PlotSeries curve = share_curve("two", {1, 2}, 1);
  REQUIRE(curve.points.size() == 2);
  CHECK(curve.points[0].x == 50);
  CHECK(curve.points[0].y == 1);
  CHECK(curve.points[1].x == 100);
  CHECK(curve.points[1].y == 0.5);
}

TEST_CASE("share curve: 2 * 8 * 16 * 4 flop at the peak of the machine") {
  const Machine machine = detect_machine();
  CHECK(peak_seconds(parse_problem("m8n16k4"), machine) == close_to(1024 / peak_flops(machine)));
}

TEST_CASE("share plot: both axes say what they measure") {
  const std::string svg = share_plot("layer", detect_machine(), {share_curve("two", {1, 2}, 1)});
  CHECK(svg.find("share of peak [%]") != std::string::npos);
  CHECK(svg.find("share of the schedules that reach it") != std::string::npos);
}
