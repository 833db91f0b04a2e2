// SPDX-License-Identifier: Apache-2.0
// This test compares the model of flat.h with numbers computed by hand, and checks it on random
// nests.
#include "flat.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <sstream>

#include "cache_cut.h"
#include "close_to.h"
#include "oracle.h"
#include "random_computation.h"
#include "simulated_caches.h"

using namespace tileplan;

namespace {

// Parses loops from text such as "k2 h2 w4", outermost first.
std::vector<NestLoop> loops(const Computation& computation, const std::string& text) {
  std::vector<NestLoop> result;
  std::istringstream words(text);
  for (std::string word; words >> word;)
    result.push_back({.dim = toy::dim(computation, word.substr(0, 1)),
                      .trips = std::stoll(word.substr(1)),
                      .parts = {}});
  return result;
}

Nest nest(const Computation& computation, const std::string& text, const toy::Sizes& base) {
  return {.loops = loops(computation, text), .base = toy::tile(computation, base)};
}

struct LambdaLoop {
  std::string dim;
  std::vector<Part> parts;
};

// Returns a nest of the loops `outer`, then a list of blocks (lambda), then the loops `inner`.
Nest lambda_nest(const Computation& computation, const std::string& outer, const LambdaLoop& lambda,
                 const std::string& inner, const toy::Sizes& base) {
  const Dim dim = toy::dim(computation, lambda.dim);
  Nest result = nest(computation, outer, base);
  result.loops.push_back({.dim = dim, .trips = 0, .parts = lambda.parts});
  for (const NestLoop& loop : loops(computation, inner)) result.loops.push_back(loop);
  result.base[dim] = 0;
  return result;
}

PerTensor<std::int64_t> elements(std::int64_t input, std::int64_t weights, std::int64_t output) {
  return {{input, weights, output}};
}

}  // namespace

TEST_CASE("flat: the cut moves outwards as the cache grows (convolution, base k2)") {
  const Computation conv = toy::conv({.k = 4, .c = 4, .h = 6, .w = 4, .r = 3, .s = 3});
  const Nest schedule = nest(conv, "k2 h2 w4 r3 s3 h3 c4", {{"k", 2}});
  const auto at = [&](std::int64_t capacity) {
    return flat_volumes(conv, schedule, capacity, CapacityRule::ideal);
  };
  CHECK(at(10) == elements(1728, 3456, 864));
  CHECK(at(25) == elements(1728, 1152, 864));
  CHECK(at(60) == elements(1728, 1152, 96));
  CHECK(at(140) == elements(480, 144, 96));
  CHECK(at(400) == elements(192, 144, 96));
}

TEST_CASE("flat: below a lambda each branch has its own cut, above it the parts are one box") {
  const Computation conv = toy::conv({.k = 4, .c = 4, .h = 7, .w = 4, .r = 3, .s = 3});
  const Nest schedule = lambda_nest(conv, "k2", {"h", {{2, 2}, {1, 3}}}, "w4 r3 s3 c4", {{"k", 2}});
  CHECK(flat_volumes(conv, schedule, 20, CapacityRule::ideal) == elements(2016, 1728, 112));
  CHECK(flat_volumes(conv, schedule, 400, CapacityRule::ideal) == elements(216, 144, 112));
}

TEST_CASE("flat: the parts of a lambda load what their own cuts do not keep") {
  const Computation conv = toy::conv({.k = 4, .c = 4, .h = 7, .w = 4, .r = 3, .s = 3});
  const Nest schedule = lambda_nest(conv, "k2", {"h", {{2, 2}, {1, 3}}}, "w4 r3 s3 c4", {{"k", 2}});
  const std::vector<TrafficPart> parts =
      flat_traffic(conv, schedule, 20, CapacityRule::ideal).parts;
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].iterations == close_to(4.0 / 7));
  CHECK(parts[1].iterations == close_to(3.0 / 7));
  // Each block loads the same weights, and the first part has two blocks.
  CHECK(parts[0].volumes[Operand::weights] == close_to(2.0 / 3));
  CHECK(parts[1].volumes[Operand::weights] == close_to(1.0 / 3));
  CHECK(parts[0].volumes[Operand::input] == close_to(4.0 / 7));
  CHECK(parts[0].volumes[Operand::output] == close_to(4.0 / 7));
  CHECK(flat_traffic(conv, schedule, 400, CapacityRule::ideal).parts.empty());
}

TEST_CASE("flat: a gemm with room for one element of each tensor") {
  const Computation product = toy::gemm({.i = 3, .j = 2, .k = 4});
  const Nest schedule = nest(product, "j2 k4 i3", {});
  const FlatTraffic traffic = flat_traffic(product, schedule, 3, CapacityRule::ideal);
  CHECK(traffic.volumes == elements(24, 8, 24));
  CHECK(traffic.cut == toy::tile(product, {}));
  CHECK(traffic.walked[Operand::input] == toy::tile(product, {{"i", 3}}));
  CHECK(traffic.walked[Operand::weights] == toy::tile(product, {{"i", 3}, {"k", 4}}));
}

TEST_CASE("flat: lru2 asks for two consecutive tiles of the next active loop") {
  const Computation product = toy::gemm({.i = 4, .j = 4, .k = 4});
  const Nest schedule = nest(product, "i4 j4 k4", {});
  // An iteration of j uses 4, 4 and 1 elements of A, B and C. The next iteration needs 4 new
  // elements of B and 1 of C.
  CHECK(flat_traffic(product, schedule, 9, CapacityRule::ideal).cut ==
        toy::tile(product, {{"k", 4}}));
  CHECK(flat_traffic(product, schedule, 13, CapacityRule::lru2).cut == toy::tile(product, {}));
  CHECK(flat_traffic(product, schedule, 14, CapacityRule::lru2).cut ==
        toy::tile(product, {{"k", 4}}));
}

TEST_CASE("flat: with storage the whole lines of a box must fit too") {
  const Computation conv = toy::conv({.k = 4, .c = 8, .w = 64});
  const Nest schedule = nest(conv, "w16 c8", {{"k", 4}, {"w", 4}});
  const TensorLayout input = toy::row_major(conv.tensors[0], {0, 1, 2, 3, 4});
  const TensorLayout output = toy::row_major(conv.tensors[2], {0, 1, 2, 3, 4});
  const Storage storage{.input = input, .output = output, .line_bytes = 64};
  // The iterations of the loops inside w access 8 rows of 4 input pixels, 4 rows of 4 output pixels
  // and 32 weights. These are 80 elements, or 12 x 19 + 32 elements when whole cache lines count.
  const auto cut = [&](std::int64_t capacity, const Storage* stored) {
    return flat_traffic(conv, schedule, capacity, CapacityRule::ideal, stored).cut;
  };
  const Tile inside = toy::tile(conv, {{"k", 4}, {"c", 8}, {"w", 4}});
  CHECK(cut(80, nullptr) == inside);
  CHECK(cut(259, &storage) == toy::tile(conv, {{"k", 4}, {"w", 4}}));
  CHECK(cut(260, &storage) == inside);
}

TEST_CASE("flat: a cache that holds everything loads everything once") {
  const Computation conv = toy::conv({.k = 4, .c = 4, .h = 7, .w = 4, .r = 3, .s = 3});
  const Nest schedule = lambda_nest(conv, "k2", {"h", {{2, 2}, {1, 3}}}, "w4 r3 s3 c4", {{"k", 2}});
  for (const CapacityRule rule : kRules) {
    const FlatTraffic traffic = flat_traffic(conv, schedule, 216 + 144 + 112, rule);
    CHECK(traffic.volumes == elements(216, 144, 112));
    CHECK(traffic.cut == toy::whole(conv));
  }
}

TEST_CASE("flat: an inner lambda and an outer one each have their branches") {
  const Computation product = toy::gemm({.i = 5, .j = 5, .k = 2});
  Nest schedule = lambda_nest(product, "", {"i", {{1, 2}, {1, 3}}}, "", {});
  const Nest inner = lambda_nest(product, "", {"j", {{1, 2}, {1, 3}}}, "k2", {});
  schedule.loops.insert(schedule.loops.end(), inner.loops.begin(), inner.loops.end());
  schedule.base[toy::dim(product, "j")] = 0;
  // The cache holds the 8 elements of a 2x2 part of C with a step of k. C is then loaded once, A
  // once per part of j, and B once per part of i. The 2x3, 3x2 and 3x3 parts with a step have 11,
  // 11 and 15 elements. They do not fit, so the model takes their register tiles as the cut.
  const auto volumes = flat_volumes(product, schedule, 8, CapacityRule::ideal);
  CHECK(volumes == elements(2 * 5 * 2, 2 * 5 * 2, 25));
  const std::vector<TrafficPart> parts =
      flat_traffic(product, schedule, 8, CapacityRule::ideal).parts;
  REQUIRE(parts.size() == 4);
  const double rows[] = {2, 2, 3, 3}, columns[] = {2, 3, 2, 3};
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(parts[i].iterations == close_to(rows[i] * columns[i] / 25));
    CHECK(parts[i].branches == 1);
    CHECK(parts[i].volumes[Operand::input] == close_to(2 * rows[i] / 20));
    CHECK(parts[i].volumes[Operand::weights] == close_to(2 * columns[i] / 20));
    CHECK(parts[i].volumes[Operand::output] == close_to(rows[i] * columns[i] / 25));
  }
}

TEST_CASE("flat: at the end of a part the cut counts the next block, not a second part") {
  const Computation product = toy::gemm({.i = 5, .j = 2, .k = 4});
  const Nest schedule = lambda_nest(product, "", {"i", {{2, 1}, {1, 3}}}, "j2 k4", {});
  // All iterations use 20, 8 and 10 elements, one more than the cache holds. The block of 3 uses
  // 26, or 32 with the block of 1 before it, so that it stays in the cache. Two blocks of 3 would
  // be more than all 5 iterations.
  const CacheCut cut = cache_cut(product, schedule, 37, CapacityRule::lru2);
  CHECK(cut.position == 1);
  CHECK(cut.counted.box == toy::tile(product, {{"i", 4}, {"j", 2}, {"k", 4}}));
  CHECK(!cut.counted.next);
  CHECK(required(product, cut.counted.box, cut.counted.next, CapacityRule::lru2) == 32);
  REQUIRE(cut.larger);
  CHECK(cut.larger->loop == 0);
  CHECK(cut.larger->counted.box == toy::whole(product));
  CHECK(flat_traffic(product, schedule, 37, CapacityRule::lru2).cut ==
        toy::tile(product, {{"i", 3}, {"j", 2}, {"k", 4}}));
}

TEST_CASE("flat: the box inside a loop multiplies what is inside it") {
  const Computation conv = toy::conv({.k = 4, .c = 4, .h = 7, .w = 4, .r = 3, .s = 3});
  const Nest schedule = lambda_nest(conv, "k2", {"h", {{2, 2}, {1, 3}}}, "w4 r3 s3 c4", {{"k", 2}});
  CHECK(box_inside(schedule, 0) == toy::whole(conv));
  CHECK(box_inside(schedule, 1) ==
        toy::tile(conv, {{"k", 2}, {"c", 4}, {"h", 7}, {"w", 4}, {"r", 3}, {"s", 3}}));
  CHECK(box_inside(schedule, 3) ==
        toy::tile(conv, {{"k", 2}, {"c", 4}, {"h", 0}, {"r", 3}, {"s", 3}}));
  CHECK(box_inside(schedule, schedule.loops.size()) == schedule.base);
}

namespace {

// Describes tiles of the size `inner` that are executed in `order_inner`, inside tiles of the size
// `outer` that are executed in `order_outer`.
struct TwoLevels {
  Tile inner{}, outer{};
  LoopOrder order_inner, order_outer;
};

TwoLevels random_levels(const Computation& computation, toy::Random& random) {
  TwoLevels levels{.inner = {},
                   .outer = toy::random_tile(computation, true, random),
                   .order_inner = toy::random_order(computation, random),
                   .order_outer = toy::random_order(computation, random)};
  for (int d = 0; d < computation.dims(); ++d) {
    std::int64_t& size = levels.inner[Dim{d}];
    do size = toy::uniform(random, 1, levels.outer[Dim{d}]);
    while (levels.outer[Dim{d}] % size != 0);
  }
  return levels;
}

Nest nest_of(const Computation& computation, const TwoLevels& levels) {
  Nest result{.loops = {}, .base = levels.inner};
  for (const Dim dim : levels.order_outer)
    result.loops.push_back(
        {.dim = dim, .trips = computation.extent(dim) / levels.outer[dim], .parts = {}});
  for (const Dim dim : levels.order_inner)
    result.loops.push_back(
        {.dim = dim, .trips = levels.outer[dim] / levels.inner[dim], .parts = {}});
  return result;
}

struct Draw {
  Computation computation;
  TwoLevels levels;
  Nest nest;
};

Draw draw(int trial, toy::Random& random) {
  Draw result{.computation = toy::random_computation(trial % toy::kOperatorKinds, random),
              .levels = {},
              .nest = {}};
  result.levels = random_levels(result.computation, random);
  result.nest = nest_of(result.computation, result.levels);
  return result;
}

constexpr int kTrials = 2000;

}  // namespace

TEST_CASE("flat: never more than two levels whose reuse ends at each level") {
  toy::for_trials(3, kTrials, [&](int trial, toy::Random& random) {
    const auto [computation, levels, schedule] = draw(trial, random);
    std::int64_t outer_tiles = 1;
    for (int d = 0; d < computation.dims(); ++d)
      outer_tiles *= computation.extent(Dim{d}) / levels.outer[Dim{d}];
    const auto inner = volumes(computation, levels.order_inner, levels.inner, levels.outer);
    const auto capacity = required(computation, levels.inner, std::nullopt, CapacityRule::ideal);
    const auto flat = flat_volumes(computation, schedule, capacity, CapacityRule::ideal);
    for (std::size_t t = 0; t < flat.values.size(); ++t)
      CHECK(flat.values[t] <= outer_tiles * inner.values[t]);
  });
}

TEST_CASE("flat: one level cut at its tile is rule (V)") {
  toy::for_random_computations(
      4, kTrials, [&](const Computation& computation, toy::Random& random) {
        TwoLevels levels = random_levels(computation, random);
        levels.outer = toy::whole(computation);
        levels.inner = toy::random_tile(computation, true, random);
        // A cache of capacity 0 holds nothing but the register tile.
        CHECK(flat_volumes(computation, nest_of(computation, levels), 0, CapacityRule::ideal) ==
              volumes(computation, levels.order_inner, levels.inner, levels.outer));
      });
}

TEST_CASE("flat: volumes never grow with the cache") {
  toy::for_trials(5, kTrials / 10, [&](int trial, toy::Random& random) {
    const auto [computation, levels, schedule] = draw(trial, random);
    const auto everything =
        required(computation, toy::whole(computation), std::nullopt, CapacityRule::ideal);
    for (const CapacityRule rule : kRules) {
      auto previous = flat_volumes(computation, schedule, 0, rule);
      for (std::int64_t capacity = 1; capacity <= everything; capacity += 1 + capacity / 4) {
        const auto next = flat_volumes(computation, schedule, capacity, rule);
        for (std::size_t t = 0; t < next.values.size(); ++t)
          CHECK(next.values[t] <= previous.values[t]);
        previous = next;
      }
    }
  });
}

TEST_CASE("flat: the traffic changes only from the next capacity on") {
  constexpr auto kNever = std::numeric_limits<std::int64_t>::max();
  int changed = 0;
  toy::for_trials(8, kTrials / 10, [&](int trial, toy::Random& random) {
    const auto [computation, levels, schedule] = draw(trial, random);
    for (const CapacityRule rule : kRules) {
      std::int64_t capacity = 0;
      FlatTraffic traffic = flat_traffic(computation, schedule, capacity, rule);
      while (traffic.next_capacity != kNever) {
        CHECK(traffic.next_capacity > capacity);
        CHECK(flat_traffic(computation, schedule, traffic.next_capacity - 1, rule) == traffic);
        capacity = traffic.next_capacity;
        const FlatTraffic next = flat_traffic(computation, schedule, capacity, rule);
        if (next.cut != traffic.cut) ++changed;
        traffic = next;
      }
      // All larger caches hold the whole nest.
      CHECK(traffic.cut == box_inside(schedule, 0));
    }
  });
  CHECK(changed > 0);
}

TEST_CASE("flat: a lambda of two equal parts is a loop of two trips") {
  int compared = 0;
  toy::for_trials(6, kTrials, [&](int trial, toy::Random& random) {
    const auto [computation, levels, plain] = draw(trial, random);
    const auto twice = std::find_if(plain.loops.begin(), plain.loops.end(),
                                    [](const NestLoop& loop) { return loop.trips == 2; });
    if (twice == plain.loops.end()) return;
    ++compared;
    Nest with_lambda = plain;
    NestLoop& node = with_lambda.loops[static_cast<std::size_t>(twice - plain.loops.begin())];
    const std::size_t position = static_cast<std::size_t>(twice - plain.loops.begin());
    const std::int64_t size = box_inside(plain, position + 1)[node.dim];
    node.trips = 0;
    node.parts = {{1, size}, {1, size}};
    with_lambda.base[node.dim] = 0;
    CHECK(move_alike(computation, with_lambda, plain));
  });
  CHECK(compared > kTrials / 10);
}

namespace {

// Returns all accesses in the order of execution. The register tile has one iteration.
std::vector<oracle::Element> simulated(const Computation& computation, const TwoLevels& levels) {
  const Tile one = toy::tile(computation, {});
  std::vector<oracle::Box> walk;
  for (const oracle::Box& outer :
       oracle::tiles(oracle::domain(computation), levels.order_outer, levels.outer))
    for (const oracle::Box& inner : oracle::tiles(outer, levels.order_inner, one))
      walk.push_back(inner);
  return oracle::accesses(computation, walk, levels.order_inner);
}

}  // namespace

TEST_CASE("flat: simulated caches miss no more, LRU under lru2 and the ideal one under ideal") {
  // The simulation of this many iterations takes less than a second.
  constexpr std::int64_t kMostIterations = 4000;
  toy::for_random_computations(8, 300, [&](const Computation& computation, toy::Random& random) {
    TwoLevels levels = random_levels(computation, random);
    if (iterations(computation) > kMostIterations) return;
    levels.inner = toy::tile(computation, {});
    const Nest schedule = nest_of(computation, levels);
    const std::vector<oracle::Element> accesses = simulated(computation, levels);
    const double share = slides(computation) ? kSlidingShare : 1;
    // The smallest cache holds a register tile, which is one element of each tensor.
    for (std::int64_t capacity = kOperands; capacity < 1000; capacity += 1 + capacity / 2) {
      CAPTURE(capacity);
      const auto lru2 = flat_volumes(computation, schedule, capacity, CapacityRule::lru2);
      const auto lru = static_cast<double>(oracle::lru_misses(accesses, capacity));
      CHECK(share * lru <= static_cast<double>(sum(lru2)));
      CHECK(oracle::belady_misses(accesses, capacity) <=
            sum(flat_volumes(computation, schedule, capacity, CapacityRule::ideal)));
    }
  });
}
