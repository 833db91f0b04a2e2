// SPDX-License-Identifier: Apache-2.0
// This test compares branch and bound with trying every tile, and checks the cost of tiles that
// must divide.
#include "ragged.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "close_to.h"
#include "movement.h"
#include "small_machine.h"

namespace tileplan {
namespace {

/// Lists every tile that consists of whole base tiles, including ragged tiles, whose sizes do not
/// divide the extents.
std::vector<Tile> all_tiles(const Computation& computation, const Tile& base) {
  const Tile whole = toy::whole(computation);
  std::vector<Tile> tiles = {base};
  for (int d = 0; d < computation.dims(); ++d) {
    std::vector<Tile> longer;
    for (const Tile& tile : tiles)
      for (std::int64_t size = base[Dim{d}]; size <= whole[Dim{d}]; size += base[Dim{d}]) {
        longer.push_back(tile);
        longer.back()[Dim{d}] = size;
      }
    tiles = longer;
  }
  return tiles;
}

/// Returns the innermost dimension of `order` along which `tile` is smaller than `whole`, or
/// nothing when there is none.
std::optional<Dim> next_dim(const LoopOrder& order, const Tile& tile, const Tile& whole) {
  const auto next =
      std::find_if(order.rbegin(), order.rend(), [&](Dim dim) { return tile[dim] < whole[dim]; });
  return next == order.rend() ? std::nullopt : std::optional(*next);
}

/// Returns the least weighted volume among tiles that fit in the cache, or infinity if none fits.
double exhaustive(const Computation& computation, const OrderClasses& classes, const Tile& base,
                  double capacity, CapacityRule rule) {
  const Tile whole = toy::whole(computation);
  double least = std::numeric_limits<double>::infinity();
  for (const Tile& tile : all_tiles(computation, base))
    for (const OrderClass& each : classes.classes) {
      const std::optional<Dim> next = next_dim(each.order, tile, whole);
      if (static_cast<double>(required(computation, tile, next, rule)) > capacity) continue;
      least = std::min(least, static_cast<double>(weighted(
                                  computation, volumes(computation, each.order, tile, whole))));
    }
  return least;
}

}  // namespace

TEST_CASE("ragged: branch and bound finds what trying every tile finds") {
  toy::for_trials(64, 20, [&](int, toy::Random& random) {
    const Computation conv = toy::conv({.k = toy::uniform(random, 2, 7),
                                        .c = toy::uniform(random, 1, 5),
                                        .h = toy::uniform(random, 3, 9),
                                        .w = toy::uniform(random, 3, 9),
                                        .r = toy::uniform(random, 1, 3),
                                        .s = toy::uniform(random, 1, 3),
                                        .stride = toy::uniform(random, 1, 3),
                                        .dilation = toy::uniform(random, 1, 3)});
    const OrderClasses classes = order_classes(conv);
    const Tile base = toy::tile(conv, {{"k", 1}});
    const auto all = required(conv, toy::whole(conv), std::nullopt, CapacityRule::ideal);
    const auto capacity = static_cast<double>(toy::uniform(random, 12, 12 + all / 2));
    for (const CapacityRule rule : {CapacityRule::ideal, CapacityRule::lru2}) {
      const RaggedTile found = least_movement(conv, classes, base, capacity, {.rule = rule});
      const double expected = exhaustive(conv, classes, base, capacity, rule);
      if (found.order_class < 0) {
        CHECK(expected == std::numeric_limits<double>::infinity());
        continue;
      }
      CHECK(found.elements == expected);
      CHECK(found.bound == close_to(expected));
    }
  });
}

TEST_CASE("ragged: what divisors cost Yolo9000-8 in L1") {
  const Computation layer = toy::conv({.k = 256, .c = 128, .h = 68, .w = 68, .r = 3, .s = 3});
  const OrderClasses classes = order_classes(layer);
  const Tile base = toy::tile(layer, {{"k", 32}, {"w", 4}});
  RaggedOptions options{.rule = CapacityRule::ideal, .sizes = TileSizeChoice::divisors};
  CHECK(least_movement(layer, classes, base, 8192, options).elements == 19914752);
  options.sizes = TileSizeChoice::any;
  const RaggedTile free =
      least_movement(layer, classes, toy::tile(layer, {{"k", 1}}), 8192, options);
  // With fractional trip counts, the minimum would be 13.99e6.
  CHECK(free.elements == 14336000);
  CHECK(free.bound == free.elements);
}

TEST_CASE("ragged: a search that is cut says what is left") {
  const Computation layer = toy::conv({.k = 256, .c = 128, .h = 68, .w = 68, .r = 3, .s = 3});
  const RaggedTile cut =
      least_movement(layer, order_classes(layer), toy::tile(layer, {{"k", 32}, {"w", 4}}), 8192,
                     {.most_nodes = 3});
  CHECK(cut.nodes == 3);
  CHECK(cut.bound > 0);
  CHECK(cut.bound < cut.elements);
}

TEST_CASE("ragged: any sizes move no more than divisors, also of primes beyond 16 bits") {
  for (const std::int64_t w : {40009, 104729}) {
    CAPTURE(w);
    const Computation row = toy::conv({.k = 16, .c = 16, .w = w, .s = 3, .dilation = 2});
    const OrderClasses classes = order_classes(row);
    const Tile base = toy::tile(row, {{"k", 16}});
    RaggedOptions options{.sizes = TileSizeChoice::divisors, .most_nodes = 500};
    const double divisors = least_movement(row, classes, base, 4e6, options).elements;
    options.sizes = TileSizeChoice::any;
    const RaggedTile any = least_movement(row, classes, base, 4e6, options);
    CHECK(any.elements <= divisors);
    CHECK(any.bound <= any.elements);
    CHECK(any.bound > 0);
  }
}

TEST_CASE("ragged: of too many sizes some are tried, and the bound holds for all") {
  // Every tile loads each element once, but there are so many sizes that the search cannot prove
  // the minimum.
  const Computation product = toy::gemm({.i = 1, .j = 1, .k = 10000000000});
  const OrderClasses classes = order_classes(product);
  const RaggedTile found =
      least_movement(product, classes, toy::tile(product, {{"k", 1}}), 8192, {.most_nodes = 500});
  CHECK(found.elements == 2e10 + 2);
  CHECK(found.bound <= found.elements);
  CHECK(found.bound > 1.99e10);
}

TEST_CASE("ragged: a base that does not fit has no tile") {
  const Computation layer = toy::gemm({.i = 64, .j = 64, .k = 64});
  CHECK(least_movement(layer, order_classes(layer), toy::whole(layer), 100, {}).order_class == -1);
}

}  // namespace tileplan
