// SPDX-License-Identifier: Apache-2.0
// This test checks that a fit recovers the exponents from which times were computed.
#include "overlap_fit.h"

#include <doctest/doctest.h>

#include "close_to.h"
#include "cost.h"

using namespace tileplan;

TEST_CASE("the exponent with which times were made is found") {
  for (const double exponent : {2.0, 2.6, 3.1, 4.0}) {
    std::vector<OverlapPoint> points;
    for (const double transfer : {0.5, 1.0, 2.0, 3.5})
      points.push_back({1, transfer, overlap_times(1, {transfer}, exponent)});
    CHECK(fit_overlap(points).value() == close_to(exponent).epsilon(2e-3));
  }
}

TEST_CASE("one disturbed point among five does not move the exponent") {
  std::vector<OverlapPoint> points{{1, 1, overlap_times(1, {1}, 1.2)}};
  for (const double transfer : {0.4, 0.6, 0.8, 1.2})
    points.push_back({1, transfer, overlap_times(1, {transfer}, 3)});
  CHECK(fit_overlap(points).value() == close_to(3).epsilon(2e-3));
}

TEST_CASE("times beyond what nests do get the nearest") {
  CHECK(fit_overlap({{1, 1, 2.5}}).value() == close_to(2).epsilon(2e-3));
  CHECK(fit_overlap({{1, 1, 0.9}}).value() == close_to(16).epsilon(2e-3));
}

TEST_CASE("points where one part vanishes beside the other do not count") {
  CHECK_FALSE(fit_overlap({{1, 0.1, 1}, {0.01, 1, 1}}).has_value());
  CHECK_FALSE(fit_overlap({}).has_value());
}
