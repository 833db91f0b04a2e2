// SPDX-License-Identifier: Apache-2.0
// A capacity sweep measures the time per byte for growing sizes. This test checks at which size
// invented times are half-way between those inside and those outside a cache, which sizes a sweep
// has, and that pauses are not counted.
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
  CHECK_FALSE(halfway_bytes(sweep({1, 1, 1, 1, 1.1, 1.1, 1.1})));  // The step is too small.
  CHECK_FALSE(halfway_bytes(sweep({1, 1, 1, 3, 1, 3, 3, 3})));     // The times have two steps.
  CHECK_FALSE(halfway_bytes(sweep({1, 9, 1, 1, 3, 3, 3})));        // The second time is an outlier.
  CHECK_FALSE(halfway_bytes(sweep({3, 3, 3, 1, 1, 1})));           // The time falls.
  CHECK_FALSE(halfway_bytes(sweep({1, 3, 3})));                    // There are too few points.
}

TEST_CASE("capacity sweep: sizes grow from the first to three times the capacity") {
  const std::vector<std::int64_t> sizes = sweep_sizes(512 << 10, 2 << 20);
  CHECK(sizes.front() == 512 << 10);
  CHECK(sizes.back() > 5 << 20);
  CHECK(sizes.back() <= 6 << 20);
  for (std::size_t i = 1; i < sizes.size(); ++i) CHECK(sizes[i] > sizes[i - 1]);
}

TEST_CASE("capacity sweep: a shared cache is swept from four times the cache inside it") {
  const CacheLevel inner{.capacity_bytes = 2 << 20}, small{.capacity_bytes = 8 << 20};
  CacheLevel outer{.capacity_bytes = 256 << 20};
  // The sweep of a private cache starts at a quarter of its capacity.
  CHECK(first_sweep_bytes(&inner, outer) == 64 << 20);
  outer.shared_by_cores = 2;
  CHECK(first_sweep_bytes(&inner, outer) == 8 << 20);
  CHECK(first_sweep_bytes(nullptr, outer) == 64 << 20);
  outer.capacity_bytes = 32 << 20;
  // A quarter of the outer cache is less than four times the inner cache.
  CHECK(first_sweep_bytes(&small, outer) == 8 << 20);
}

TEST_CASE("capacity sweep: the time of a pass leaves out the pauses between its pieces") {
  // Each reading of the clock advances it by a second, so each of three pieces takes one second.
  double now = 0;
  const auto clock = [&] { return now += 1; };
  std::vector<std::int64_t> pieces;
  CHECK(paced_seconds(10, 4, 5, clock, [&](std::int64_t at, std::int64_t bytes) {
          pieces.push_back(at);
          pieces.push_back(bytes);
        }) == close_to(3));
  CHECK(pieces == std::vector<std::int64_t>{0, 4, 4, 4, 8, 2});
  // A piece of 1 s is followed by a pause of 4 s, which takes 4 readings of the clock.
  CHECK(now >= 3 * 5);
}
