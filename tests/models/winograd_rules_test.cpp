// SPDX-License-Identifier: Apache-2.0
// This test checks which problems, tiles and schedules of Winograd convolutions are refused, and
// that the messages name the broken rules.
#include "winograd_rules.h"

#include <doctest/doctest.h>

#include "tileplan/error.h"
#include "winograd_products.h"

using namespace tileplan;

namespace {

std::string reason(const std::string& text) { return why_no_winograd(parse_problem(text)); }

/// Checks a schedule of a layer with 7 x 7 tiles of 4 x 4 outputs, in vectors of 16 lanes.
void check_schedule(const std::string& loops, const std::string& marks) {
  const Schedule schedule = parse_schedule("[" + loops + "] winograd=4x4 " + marks);
  const ConvShape shape = parse_conv("mb1ic64ih28oc64oh28kh3ph1");
  const Computation products = winograd_products(shape, *schedule.winograd);
  check_winograd_nest(products, resolve(schedule, products, 16), schedule, 16);
}

}  // namespace

TEST_CASE(
    "filters of up to 7 taps in one or two directions are possible, with groups and padding") {
  for (const char* text : {"ic4ih9oc4kh3ph1", "ic4ih1iw20oc4kh1kw7pw3", "ic4ih20iw1oc4kh7kw1ph3pw0",
                           "g2ic4ih9oc4kh5ph0", "ic4iw20oc4kw7pw3"}) {
    CAPTURE(text);
    CHECK(reason(text).empty());
  }
}

TEST_CASE("other problems are refused") {
  CHECK(reason("m4n4k4") == "the problem is no convolution");
  CHECK(reason("ic4id6ih6oc4kd3kh3pd1ph1") ==
        "the convolution has a depth; must have one or two directions");
  CHECK(reason("--dt=f64 ic4ih9oc4kh3ph1") == "the element type must be f32");
  CHECK(reason("ic4ih9oc4kh1ph0") ==
        "the filter has one tap; must have more in at least one direction");
  CHECK(reason("ic4ih9oc4kh3ph1sh2") == "the height's stride is 2; must be 1");
  CHECK(reason("ic4ih9iw9oc4kh3kw3ph1pw2dh0dw1") == "the width's dilation is 2; must be 1");
  CHECK(reason("ic4ih20oc4kh11ph5") == "the height's filter size is 11; must be at most 7");
}

TEST_CASE("the matrices of a tile need outputs and points that define F(m, r)") {
  const Problem layer = parse_problem("ic4ih9oc4kh3ph1");
  CHECK(winograd_tile(layer, {.outputs = {4, 2}}).products() == 6 * 4);
  const std::vector<Fraction> points{{0, 1}, {1, 3}, {-1, 3}};
  CHECK(winograd_tile(layer, {.outputs = {2, 2}, .points = {points, {}}}).products() == 16);
  CHECK_THROWS_WITH_AS(
      winograd_tile(layer, {.outputs = {7, 2}}),
      "winograd: a tile has 7 outputs of 3 taps along one direction; must have at most 8 inputs, "
      "outputs + taps - 1",
      Error);
  CHECK_THROWS_WITH_AS(winograd_tile(parse_problem("ic4iw20oc4kw7pw3"), {.outputs = {2, 2}}),
                       "winograd: a tile has 2 outputs along a direction with one tap; must have 1",
                       Error);
  CHECK_THROWS_AS(winograd_tile(layer, {.outputs = {4, 4}, .points = {points, points}}), Error);
  CHECK_THROWS_AS(winograd_tile(parse_problem("m4n4k4"), {.outputs = {2, 2}}), Error);
}

TEST_CASE("loops and marks of a Winograd schedule keep its boxes whole") {
  const char* loops = "T(7,p), T(36,x), T(64,c), U(7,p), U(4,k), V(k)";
  CHECK_NOTHROW(check_schedule(loops, "pack=in@0 pack=out@0"));
  CHECK_THROWS_WITH_AS(check_schedule(loops, "pack=in@0"),
                       "schedule: winograd, but a mark is missing; must have pack=in@POS and "
                       "pack=out@POS",
                       Error);
  CHECK_THROWS_WITH_AS(check_schedule(loops, "pack=in@1 pack=out@0"),
                       "schedule: winograd, but a loop over x is not inside pack=in@1; must be",
                       Error);
  CHECK_THROWS_WITH_AS(check_schedule(loops, "pack=in@0 pack=out@0 nt"),
                       "schedule: winograd, but nt is set; the stores of tiles cannot bypass the "
                       "caches",
                       Error);
  const char* split = "T(7,p), T(2,c), T(36,x), T(32,c), U(7,p), U(4,k), V(k)";
  CHECK_NOTHROW(check_schedule(split, "pack=in@1 pack=out@0"));
  CHECK_THROWS_WITH_AS(check_schedule(split, "pack=in@1 pack=out@1"),
                       "schedule: winograd, but a loop over c is not inside pack=out@1; must be",
                       Error);
  CHECK_THROWS_WITH_AS(
      check_schedule("T(7,p), T(8,c), T(36,x), T(8,c), U(7,p), U(4,k), V(k)",
                     "pack=in@1 pack=out@0"),
      "schedule: winograd, but the box of the input holds 8 of 64 channels; must hold all, or "
      "whole vectors of 16",
      Error);
  CHECK_THROWS_WITH_AS(
      check_schedule("T(7,p), P(4,k), T(36,x), T(64,c), U(7,p), V(k)", "pack=in@0 pack=out@0"),
      "schedule: winograd, but a parallel loop over k is inside pack=out@0; must be outside",
      Error);
}
