// SPDX-License-Identifier: Apache-2.0
// This test checks that two or four microkernels cover shapes that divisors and small blocks cover
// badly, and compares the tilings with an exhaustive enumeration.
#include "mixed_tilings.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "close_to.h"
#include "integers.h"
#include "kernels.h"
#include "tileplan/plan.h"

using namespace tileplan;

namespace {

Machine uncalibrated() {
  Machine machine = load_machine("xeon-gold-6130");
  machine.rates.kernels.clear();
  return machine;
}

/// Returns a problem with one row of pixels, vectors of channels and 100 reduction steps.
TilingProblem cover_of(std::int64_t columns, std::int64_t vectors) {
  TilingProblem cover;
  cover.column_extent = columns;
  cover.vector_extent = vectors;
  cover.lanes = 16;
  cover.outputs = static_cast<double>(columns * vectors * cover.lanes);
  cover.steps = 100;
  return cover;
}

std::vector<std::vector<Part>> all_covers(std::int64_t extent) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = 1; size <= extent; ++size) sizes.push_back(size);
  std::vector<std::vector<Part>> covers = exact_covers(extent, sizes);
  for (const std::int64_t size : divisors(extent)) covers.push_back({{extent / size, size}});
  return covers;
}

/// Returns the parts of `grid` along `axis`. If there is one tile size, the list has one part.
std::vector<Part> parts_along(const TilingProblem& cover, const MixedTiling& grid, SplitAxis axis) {
  for (int i = 0; i < 2; ++i)
    if (grid.axes[i] == axis && !grid.parts[i].empty()) return grid.parts[i];
  TileShape shape = grid.shape;
  return {{extent_of(cover, axis) / size_of(shape, axis), size_of(shape, axis)}};
}

/// Returns the time of all calls in seconds, or infinity when a register tile does not fit.
double seconds_of(const TilingProblem& cover, const TileRates& rates,
                  const std::vector<Part>& columns, const std::vector<Part>& vectors) {
  double cycles = 0;
  for (const Part& c : columns)
    for (const Part& v : vectors) {
      const TileShape tile{.columns = c.size, .vectors = v.size};
      if (!rates.admits(tile, false)) return HUGE_VAL;
      const KernelRate& rate = rates.rate(tile);
      cycles += static_cast<double>(c.times * v.times) * CallCycles(rate).of(cover.steps);
    }
  return cycles / cover.hertz;
}

bool has_grid(const char* problem, const char* machine) {
  const Schedule schedule =
      plan(parse_problem(problem), load_machine(machine), {}).candidates.front().schedule;
  return std::count_if(schedule.loops.begin(), schedule.loops.end(),
                       [](const Specifier& loop) { return loop.kind == Kind::lambda; }) == 2;
}

}  // namespace

TEST_CASE("extreme covers are the first and the last of all covers by two sizes") {
  for (std::int64_t extent = 1; extent <= 40; ++extent)
    for (std::int64_t high = 2; high <= 12; ++high)
      for (std::int64_t low = 1; low < high; ++low) {
        const std::vector<std::vector<Part>> all = exact_covers(extent, {low, high});
        const std::vector<std::vector<Part>> found = extreme_covers(extent, low, high);
        REQUIRE(found.size() == std::min<std::size_t>(2, all.size()));
        if (all.empty()) continue;
        CHECK(found.front() == all.front());
        CHECK(found.back() == all.back());
      }
}

TEST_CASE("grids: as fast as the fastest of all, and cover everything") {
  const TileRates rates(uncalibrated(), VectorOperands::weights);
  for (const std::pair<int, int>& extents :
       {std::pair{13, 7}, {17, 5}, {19, 11}, {12, 8}, {5, 4}}) {
    const auto [columns, vectors] = extents;
    CAPTURE(extents.first);
    const TilingProblem cover = cover_of(columns, vectors);
    double least = HUGE_VAL;
    for (const std::vector<Part>& c : all_covers(columns))
      for (const std::vector<Part>& v : all_covers(vectors))
        if (c.size() + v.size() > 2) least = std::min(least, seconds_of(cover, rates, c, v));
    const std::vector<MixedTiling> found = mixed_tilings(cover, rates, HUGE_VAL, 3);
    REQUIRE(found.size() == 3);
    CHECK(found.front().seconds == close_to(least));
    for (const MixedTiling& grid : found)
      CHECK(grid.seconds ==
            close_to(seconds_of(cover, rates, parts_along(cover, grid, SplitAxis::columns),
                                parts_along(cover, grid, SplitAxis::vectors))));
    for (const MixedTiling& grid : mixed_tilings(cover, rates, found[1].seconds, 3))
      CHECK(grid.seconds < found[1].seconds);
  }
}

TEST_CASE("grids: one direction in two sizes where the other has one iteration") {
  const TileRates rates(uncalibrated(), VectorOperands::weights);
  for (const SplitAxis axis : {SplitAxis::columns, SplitAxis::vectors}) {
    const bool of_columns = axis == SplitAxis::columns;
    const std::vector<MixedTiling> found =
        mixed_tilings(of_columns ? cover_of(17, 1) : cover_of(1, 17), rates, HUGE_VAL, 3);
    REQUIRE(found.size() == 3);
    for (const MixedTiling& grid : found) {
      CHECK(grid.axes[0] == axis);
      CHECK(grid.parts[0].size() == 2);
      CHECK(grid.parts[1].empty());
    }
  }
  CHECK(mixed_tilings(cover_of(1, 1), rates, HUGE_VAL, 3).empty());
}

TEST_CASE("grids: tiles whose pixels have a way each are kept beside faster ones") {
  const TileRates rates(uncalibrated(), VectorOperands::weights);
  TilingProblem cover = cover_of(7393, 2);
  const auto least_pixels = [&] {
    std::int64_t least = cover.column_extent;
    for (const MixedTiling& grid : mixed_tilings(cover, rates, HUGE_VAL, 8))
      if (grid.axes[0] == SplitAxis::columns)
        for (const Part& part : grid.parts[0])
          if (2 * part.times * part.size > cover.column_extent) least = std::min(least, part.size);
    return least;
  };
  CHECK(least_pixels() > 8);
  cover.ways = 8;
  CHECK(least_pixels() <= 8);
}

// The 31 x 31 pixels make 61 vectors. Both this number and the number of channels, 67, are prime.
TEST_CASE("plan: four microkernels cover primes in two directions") {
  CHECK(has_grid("mb1ic129ih31oc67oh31kh1ph0", "xeon-gold-6130"));
  CHECK_FALSE(has_grid("mb1ic128ih32oc64oh32kh1ph0", "xeon-gold-6130"));
}

// The number of rows, 739, is prime, and all rows together do not fit in the L1 cache.
TEST_CASE("plan: two sizes cover a prime beside vectors that divide") {
  const Schedule schedule =
      plan(parse_problem("m739n19k52"), uncalibrated(), {}).candidates.front().schedule;
  CHECK(std::any_of(schedule.loops.begin(), schedule.loops.end(), [](const Specifier& loop) {
    return loop.kind == Kind::lambda && loop.dim == "i";
  }));
}
