// SPDX-License-Identifier: Apache-2.0
// Exponents that made the times are found again.
#include "overlap_fit.h"

#include <doctest/doctest.h>

#include "cost.h"

using namespace tileplan;

TEST_CASE("the exponent with which times were made is found") {
  for (const double exponent : {1.0, 1.5, 2.6, 4.0, 9.0}) {
    std::vector<OverlapPoint> points;
    for (const double transfer : {0.5, 1.0, 2.0, 3.5})
      points.push_back({1, transfer, overlapped(1, {transfer}, exponent)});
    CHECK(fit_overlap(points).value() == doctest::Approx(exponent).epsilon(1e-3));
  }
}

TEST_CASE("times between no and full overlap are a compromise, times beyond both the nearest") {
  const std::vector<OverlapPoint> mixed{{1, 1, overlapped(1, {1}, 2)},
                                        {1, 1, overlapped(1, {1}, 6)}};
  CHECK(fit_overlap(mixed).value() > 2);
  CHECK(fit_overlap(mixed).value() < 6);
  CHECK(fit_overlap({{1, 1, 2.5}}).value() == doctest::Approx(1).epsilon(1e-3));
  CHECK(fit_overlap({{1, 1, 0.9}}).value() == doctest::Approx(16).epsilon(1e-3));
}

TEST_CASE("points where one part vanishes beside the other do not count") {
  CHECK_FALSE(fit_overlap({{1, 0.1, 1}, {0.01, 1, 1}}).has_value());
  CHECK_FALSE(fit_overlap({}).has_value());
}
