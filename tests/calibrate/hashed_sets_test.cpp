// SPDX-License-Identifier: Apache-2.0
// The clock of these tests lets lines at one position of their pages take a chosen time.
#include "hashed_sets.h"

#include <doctest/doctest.h>

using namespace tileplan;

namespace {

/// Returns a clock that advances by 1 at each of the calls for lines at eight positions, and then
/// by `slower` at each call.
Clock clock_of(double slower) {
  constexpr int kCallsOfSpreadLines = 22;
  return [slower, calls = 0, now = 0.0]() mutable {
    now += ++calls <= kCallsOfSpreadLines ? 1 : slower;
    return now;
  };
}

}  // namespace

TEST_CASE("lines at one position of their pages tell whether a hash selects sets") {
  const CacheLevel cache{.name = "L2", .capacity_bytes = 1 << 20, .ways = 16};
  CHECK(has_hashed_sets(cache, clock_of(1.1)));
  CHECK(!has_hashed_sets(cache, clock_of(3)));
}
