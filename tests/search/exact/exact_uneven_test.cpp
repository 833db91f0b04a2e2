// SPDX-License-Identifier: Apache-2.0
// This test compares the exact search over uneven splits with an enumeration of all splits, box by
// box.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "close_to.h"
#include "exact.h"
#include "integers.h"
#include "movement.h"
#include "nest.h"
#include "small_machine.h"

namespace tileplan {
namespace {

using toy::kernel;
using toy::machine_of;
using toy::pick;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Returns options that count only the data movement of the slowest level, with cold caches.
ExactOptions bottleneck(CapacityRule rule, Splits splits) {
  ExactOptions options;
  options.capacity = rule.kind;
  options.exponent = kInfinity;
  options.with_compute = false;
  options.hot = false;
  options.splits = splits;
  return options;
}

/// Lists the boxes along one dimension over which the loops of a level iterate.
struct Axis {
  std::vector<Part> boxes;  ///< Each entry holds a box size and the number of such boxes.
  std::int64_t unit = 1;    ///< Equal inner tiles, and the units of uneven ones, divide this size.
  bool split = false;       ///< If true, this split or an outer split is uneven.
};

/// Holds a tile size along one dimension, which is 0 for the whole box, and all tiles of that
/// choice as the boxes of the next inner level.
struct Choice {
  std::int64_t tile = 0;
  Axis inside;
};

std::int64_t total(const std::vector<Part>& boxes) {
  std::int64_t sum = 0;
  for (const Part& each : boxes) sum += each.times * each.size;
  return sum;
}

/// Splits each box of `around` into `count` blocks whose sizes differ by one `unit`.
Choice uneven(const Axis& around, std::int64_t unit, std::int64_t count) {
  const std::int64_t units = around.unit / unit, times = around.boxes.front().times;
  const std::int64_t large = (units / count + 1) * unit, small = units / count * unit;
  return {
      large,
      {{{times * (units % count), large}, {times * (count - units % count), small}}, unit, true}};
}

std::vector<Choice> choices_of(const Axis& around, bool reduction) {
  std::vector<Choice> choices = {{0, around}};
  for (const std::int64_t size : divisors(around.unit))
    choices.push_back({size, {{{total(around.boxes) / size, size}}, size, around.split}});
  if (around.split || reduction) return choices;
  for (const std::int64_t unit : divisors(around.unit))
    for (std::int64_t count = 2; 2 * count * unit <= around.unit; ++count)
      if (around.unit / unit % count != 0) choices.push_back(uneven(around, unit, count));
  return choices;
}

/// Finds the least time of all nested tiles with all order classes. Uneven blocks are at least
/// two units long.
class EveryChain {
 public:
  EveryChain(const Computation& computation, const Machine& machine, CapacityRule rule)
      : computation_(computation),
        machine_(machine),
        rule_(rule),
        classes_(order_classes(computation)) {}

  double optimum() {
    std::vector<Axis> axes;
    for (int d = 0; d < computation_.dims(); ++d)
      axes.push_back({{{1, computation_.extent(Dim{d})}}, computation_.extent(Dim{d}), false});
    descend(machine_.caches.size(), axes, 0);
    return best_;
  }

 private:
  void descend(std::size_t level, const std::vector<Axis>& around, double cost) {
    if (cost >= best_) return;
    if (level == 0)
      best_ = cost;
    else
      choose(level - 1, around, {}, cost);
  }

  void choose(std::size_t level, const std::vector<Axis>& around, std::vector<Choice> tile,
              double cost) {
    const std::size_t d = tile.size();
    if (d == around.size()) return evaluate(level, around, tile, cost);
    const bool sum = computation_.role(Dim{static_cast<int>(d)}) == Role::reduction;
    for (const Choice& each : choices_of(around[d], sum)) {
      tile.push_back(each);
      choose(level, around, tile, cost);
      tile.pop_back();
    }
  }

  void evaluate(std::size_t level, const std::vector<Axis>& around, const std::vector<Choice>& tile,
                double cost) {
    double least = kInfinity;
    for (const OrderClass& each : classes_.classes)
      if (fits(level, around, tile, each.order))
        least = std::min(least, moved(around, tile, each.order, {}));
    if (least == kInfinity) return;
    const double seconds = 4 * least / machine_.caches[level].fill_bytes_per_second;
    std::vector<Axis> inside;
    inside.reserve(tile.size());
    for (const Choice& each : tile) inside.push_back(each.inside);
    descend(level, inside, std::max(cost, seconds));
  }

  bool fits(std::size_t level, const std::vector<Axis>& around, const std::vector<Choice>& tile,
            const LoopOrder& order) const {
    Tile largest{};
    for (std::size_t d = 0; d < tile.size(); ++d)
      largest[Dim{static_cast<int>(d)}] =
          tile[d].tile > 0 ? tile[d].tile : around[d].boxes.front().size;
    std::optional<Dim> next;
    for (auto dim = order.rbegin(); dim != order.rend() && !next; ++dim)
      if (largest[*dim] < computation_.extent(*dim)) next = *dim;
    return 4 * required(computation_, largest, next, rule_) <=
           machine_.caches[level].capacity_bytes;
  }

  /// Holds the sizes of a tile and of the box around it along the first `dims` dimensions.
  struct Pair {
    std::size_t dims = 0;
    Tile box{}, tile{};
  };

  /// Counts the elements that are moved in all boxes whose sizes along the first dimensions are
  /// those of `first`.
  double moved(const std::vector<Axis>& around, const std::vector<Choice>& tile,
               const LoopOrder& order, const Pair& first) const {
    if (first.dims == around.size())
      return static_cast<double>(
          weighted(computation_, volumes(computation_, order, first.tile, first.box)));
    double sum = 0;
    const Dim dim{static_cast<int>(first.dims)};
    for (const Part& part : around[first.dims].boxes) {
      Pair longer = first;
      longer.box[dim] = part.size;
      longer.tile[dim] = tile[first.dims].tile > 0 ? tile[first.dims].tile : part.size;
      ++longer.dims;
      sum += static_cast<double>(part.times) * moved(around, tile, order, longer);
    }
    return sum;
  }

  const Computation& computation_;
  const Machine& machine_;
  CapacityRule rule_;
  OrderClasses classes_;
  double best_ = kInfinity;
};

/// Returns a problem whose dimensions have few divisors. Eq. (V) of models/README.md is exact for
/// all of its tiles.
Computation coarse_problem(int i, toy::Random& random) {
  if (i % 2 == 0)
    return toy::gemm({.i = pick(random, {7, 13, 17}), .j = pick(random, {7, 14, 17}), .k = 2});
  const std::int64_t r = pick(random, {1, 3});
  return toy::conv({.k = 2,
                    .c = 2,
                    .h = pick(random, {7, 13, 17}),
                    .w = pick(random, {1, 5}),
                    .r = r,
                    .stride = r == 3 ? pick(random, {1, 2}) : 1});
}

std::string last_loops(const Computation& computation, const PerLevelSchedule& per_level) {
  return to_string(
      to_schedule(computation, kernel(computation, {}), order_classes(computation), per_level, 1));
}

}  // namespace

TEST_CASE("exact: with uneven splits the search equals trying every one of them") {
  int better = 0;
  toy::for_trials(1713, 16, [&](int i, toy::Random& random) {
    const Computation computation = coarse_problem(i, random);
    const Machine machine = toy::small_machine(computation, 1 + i % 4 / 2, random);
    const CapacityRule rule = i % 8 < 4 ? CapacityRule::lru2 : CapacityRule::ideal;
    const auto found = [&](Splits splits) {
      return exact_search(computation, kernel(computation, {}), order_classes(computation), machine,
                          bottleneck(rule, splits));
    };
    const ExactResult uneven = found(Splits::uneven);
    REQUIRE_FALSE(uneven.best.empty());
    CAPTURE(last_loops(computation, uneven.best.front()));
    CHECK(uneven.best.front().seconds ==
          close_to(EveryChain(computation, machine, rule).optimum()).epsilon(1e-9));
    better += uneven.best.front().seconds < 0.99 * found(Splits::equal).best.front().seconds;
  });
  CHECK(better >= 5);
}

TEST_CASE("exact: every schedule with uneven splits covers its problem") {
  constexpr std::uint64_t kSeed = 5;
  CAPTURE(kSeed);
  toy::Random random(kSeed);
  for (int i = 0; i < 20; ++i) {
    const Computation computation = coarse_problem(i, random);
    ExactOptions options = bottleneck(CapacityRule::lru2, Splits::uneven);
    options.slack = 1;
    const ExactResult found =
        exact_search(computation, kernel(computation, {}), order_classes(computation),
                     toy::small_machine(computation, 3, random), options);
    for (const PerLevelSchedule& per_level : found.best)
      CHECK_NOTHROW(resolve(to_schedule(computation, kernel(computation, {}),
                                        order_classes(computation), per_level, 1),
                            computation, 1));
  }
}

TEST_CASE("exact: 68 x 68 outputs in uneven tiles move 14.8 instead of 19.9 million elements") {
  const Computation yolo8 = toy::conv({.k = 256, .c = 128, .h = 68, .w = 68, .r = 3, .s = 3});
  const auto moved = [&](Splits splits) {
    return exact_search(yolo8, kernel(yolo8, {{"k", 32}, {"w", 4}}), order_classes(yolo8),
                        machine_of({{8192, 1}}, 16), bottleneck(CapacityRule::ideal, splits))
        .best.front()
        .seconds;
  };
  CHECK(std::lround(moved(Splits::equal)) == 19914752);
  CHECK(std::lround(moved(Splits::uneven)) == 14774272);
}

}  // namespace tileplan
