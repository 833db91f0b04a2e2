// SPDX-License-Identifier: Apache-2.0
// These tests count the lines in the sets of caches without a hash. A simulated clock then
// determines how much slower lines at one position of their pages are than lines at eight
// positions.
#include "hashed_sets.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace tileplan;

namespace {

/// Returns a clock that advances by 1 at each call while lines at eight positions of their pages
/// are timed, and then by `slower` at each call.
Clock clock_of(double slower) {
  constexpr int kCallsOfSpreadLines = 22;
  return [slower, calls = 0, now = 0.0]() mutable {
    now += ++calls <= kCallsOfSpreadLines ? 1 : slower;
    return now;
  };
}

/// Returns how many of the lines that has_hashed_sets() reads are in the fullest set of `cache`, if
/// bits of their offsets select the sets. The lines lie at `positions` positions of their pages.
std::int64_t fullest_set(const CacheLevel& cache, std::size_t positions) {
  const auto pages = static_cast<std::size_t>(2 * cache.capacity_bytes / 4096);
  std::vector<std::int64_t> lines(
      static_cast<std::size_t>(cache.capacity_bytes / cache.ways / cache.line_bytes));
  for (const std::size_t offset : line_offsets(pages, positions, 64))
    ++lines[offset / 64 % lines.size()];
  return *std::ranges::max_element(lines);
}

}  // namespace

TEST_CASE("a cache without a hash holds lines at eight positions of their pages, not at one") {
  for (const CacheLevel& cache : {CacheLevel{.capacity_bytes = 256 << 10, .ways = 4},
                                  CacheLevel{.capacity_bytes = 512 << 10, .ways = 8},
                                  CacheLevel{.capacity_bytes = 1 << 20, .ways = 16},
                                  CacheLevel{.capacity_bytes = 1 << 20, .ways = 8},
                                  CacheLevel{.capacity_bytes = 2 << 20, .ways = 16},
                                  CacheLevel{.capacity_bytes = 1280 << 10, .ways = 20}}) {
    CAPTURE(cache.capacity_bytes);
    CHECK(fullest_set(cache, 8) <= cache.ways);
    CHECK(fullest_set(cache, 1) >= 2 * cache.ways);
  }
}

TEST_CASE("lines at one position of their pages tell whether a hash selects sets") {
  const CacheLevel cache{.name = "L2", .capacity_bytes = 1 << 20, .ways = 16};
  CHECK(has_hashed_sets(cache, clock_of(1.1)));
  CHECK(!has_hashed_sets(cache, clock_of(3)));
}
