// SPDX-License-Identifier: Apache-2.0
// This test checks the size at which the times of a made-up capacity sweep are half-way up their
// step.
#include "capacity_sweep.h"

#include <doctest/doctest.h>

#include "close_to.h"

using namespace tileplan;

namespace {

/// Returns one point per time. The sizes are 10, 20, 30, ... bytes.
std::vector<SweepPoint> sweep(const std::vector<double>& seconds) {
  std::vector<SweepPoint> points;
  points.reserve(seconds.size());
  for (const double time : seconds)
    points.push_back(
        {.bytes = 10 * static_cast<std::int64_t>(points.size() + 1), .seconds_per_byte = time});
  return points;
}

}  // namespace

TEST_CASE("capacity sweep: half-way between the plateaus, linear between two points") {
  CHECK(halfway_bytes(sweep({1, 1, 1, 1, 3, 3, 3})).value() == close_to(45));
  CHECK(halfway_bytes(sweep({1, 1, 1, 1.5, 2.5, 3, 3, 3})).value() == close_to(45));
}

TEST_CASE("capacity sweep: noise and flat sweeps tell nothing") {
  CHECK_FALSE(halfway_bytes(sweep({1, 1, 1, 1, 1.1, 1.1, 1.1})));  // The times have no step.
  CHECK_FALSE(halfway_bytes(sweep({1, 1, 1, 3, 1, 3, 3, 3})));     // The times have two steps.
  CHECK_FALSE(halfway_bytes(sweep({1, 9, 1, 1, 3, 3, 3})));        // The second time is an outlier.
  CHECK_FALSE(halfway_bytes(sweep({3, 3, 3, 1, 1, 1})));           // The time falls.
  CHECK_FALSE(halfway_bytes(sweep({1, 3, 3})));                    // There are too few points.
}

TEST_CASE("capacity sweep: sizes surround the capacity") {
  const std::vector<std::int64_t> sizes = sweep_sizes(2 << 20);
  CHECK(sizes.front() == 512 << 10);
  CHECK(sizes.back() > 5 << 20);
  CHECK(sizes.back() <= 6 << 20);
  for (std::size_t i = 1; i < sizes.size(); ++i) CHECK(sizes[i] > sizes[i - 1]);
}
