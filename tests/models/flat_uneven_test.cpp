// SPDX-License-Identifier: Apache-2.0
// This test checks the model of flat.h when the block sizes of a list of blocks (lambda) are the
// trips of a loop inside it.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "flat.h"
#include "oracle.h"
#include "random_computation.h"
#include "simulated_caches.h"

using namespace tileplan;

namespace {

// Splits output dimensions of at least 3 iterations into blocks of at most two sizes. The loop over
// the blocks lies outside the loop within a block, whose trip count is the block size. The order of
// all other loops is random.
Nest uneven_nest(const Computation& computation, toy::Random& random) {
  Nest result{.loops = {}, .base = toy::tile(computation, {})};
  std::vector<std::vector<NestLoop>> chains;
  for (int d = 0; d < computation.dims(); ++d) {
    const Dim dim{d};
    const std::int64_t extent = computation.extent(dim);
    if (computation.role(dim) == Role::reduction || extent < 3) {
      chains.push_back({{.dim = dim, .trips = extent, .parts = {}}});
      continue;
    }
    const std::int64_t block = toy::uniform(random, 2, extent - 1);
    std::vector<Part> parts{{extent / block, block}};
    if (extent % block != 0) parts.push_back({1, extent % block});
    chains.push_back(
        {{.dim = dim, .trips = 0, .parts = parts}, {.dim = dim, .trips = 0, .parts = {}}});
  }
  while (!chains.empty()) {
    const auto at =
        chains.begin() + toy::uniform(random, 0, static_cast<std::int64_t>(chains.size()) - 1);
    result.loops.push_back(at->front());
    at->erase(at->begin());
    if (at->empty()) chains.erase(at);
  }
  return result;
}

// Appends the register tiles in `box` to `walk` in the order of execution, from loop `position` on.
void cut_up(const Nest& nest, std::size_t position, const oracle::Box& box,
            std::vector<oracle::Box>& walk) {
  if (position == nest.loops.size()) {
    walk.push_back(box);
    return;
  }
  const NestLoop& loop = nest.loops[position];
  std::vector<Part> parts = loop.parts;
  const std::int64_t size = box.size[loop.dim];
  if (parts.empty() && loop.trips > 0) parts = {{loop.trips, size / loop.trips}};
  if (parts.empty()) parts = {{size / nest.base[loop.dim], nest.base[loop.dim]}};
  oracle::Box piece = box;
  for (const Part& part : parts)
    for (std::int64_t i = 0; i < part.times; ++i, piece.first[loop.dim] += part.size) {
      piece.size[loop.dim] = part.size;
      cut_up(nest, position + 1, piece, walk);
    }
}

bool is_uneven(const Nest& nest) {
  return std::any_of(nest.loops.begin(), nest.loops.end(),
                     [](const NestLoop& loop) { return loop.parts.size() > 1; });
}

}  // namespace

TEST_CASE("flat: simulated caches miss no more where blocks of two sizes are cut up further") {
  constexpr std::int64_t kMostIterations = 4000;
  int compared = 0;
  toy::for_random_computations(9, 300, [&](const Computation& computation, toy::Random& random) {
    const Nest schedule = uneven_nest(computation, random);
    if (iterations(computation) > kMostIterations || !is_uneven(schedule)) return;
    std::vector<oracle::Box> walk;
    cut_up(schedule, 0, oracle::domain(computation), walk);
    REQUIRE(static_cast<std::int64_t>(walk.size()) == iterations(computation));
    const std::vector<oracle::Element> accesses =
        oracle::accesses(computation, walk, toy::random_order(computation, random));
    const double share = slides(computation) ? kSlidingShare : 1;
    for (std::int64_t capacity = kOperands; capacity < 1000; capacity += 1 + capacity / 2) {
      CAPTURE(capacity);
      ++compared;
      const auto lru2 = flat_volumes(computation, schedule, capacity, CapacityRule::lru2);
      const auto lru = static_cast<double>(oracle::lru_misses(accesses, capacity));
      CHECK(share * lru <= static_cast<double>(sum(lru2)));
      CHECK(oracle::belady_misses(accesses, capacity) <=
            sum(flat_volumes(computation, schedule, capacity, CapacityRule::ideal)));
    }
  });
  CHECK(compared > 1000);
}

TEST_CASE("flat: equal blocks of a lambda around the loop that they size are two plain loops") {
  toy::for_random_computations(10, 200, [&](const Computation& computation, toy::Random& random) {
    Nest split = uneven_nest(computation, random);
    Nest plain = split;
    for (std::size_t i = 0; i < split.loops.size(); ++i) {
      std::vector<Part>& parts = split.loops[i].parts;
      if (parts.size() > 1) parts = {{computation.extent(split.loops[i].dim), 1}};
      if (!parts.empty()) plain = with_part(plain, i, parts.front());
    }
    CHECK(move_alike(computation, split, plain));
  });
}
