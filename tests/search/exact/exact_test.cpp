// SPDX-License-Identifier: Apache-2.0
// This test compares the exact search with exhaustive enumeration and with known optima.
#include "exact.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "call_cycles.h"
#include "close_to.h"
#include "cost.h"
#include "integers.h"
#include "movement.h"
#include "nest.h"
#include "small_machine.h"

namespace tileplan {
namespace {

using toy::kernel;
using toy::Level;
using toy::machine_of;
using toy::pick;
using toy::small_machine;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Returns options that count only the data movement of the slowest level, with cold caches.
ExactOptions bottleneck(CapacityRule rule) {
  ExactOptions options;
  options.capacity = rule.kind;
  options.exponent = kInfinity;
  options.with_compute = false;
  options.hot = false;
  return options;
}

double optimum(const Computation& computation, const toy::Sizes& base,
               const std::vector<Level>& levels) {
  const ExactResult found =
      exact_search(computation, kernel(computation, base), order_classes(computation),
                   machine_of(levels, 16), bottleneck(CapacityRule::ideal));
  REQUIRE_FALSE(found.best.empty());
  return found.best.front().seconds;
}

/// Lists all tiles whose sizes are multiples of `low` and divide `high`.
std::vector<Tile> tiles_between(const Computation& computation, const Tile& low, const Tile& high) {
  std::vector<Tile> tiles = {low};
  for (int d = 0; d < computation.dims(); ++d) {
    std::vector<Tile> longer;
    for (const Tile& tile : tiles)
      for (const std::int64_t factor : divisors(high[Dim{d}] / low[Dim{d}])) {
        longer.push_back(tile);
        longer.back()[Dim{d}] *= factor;
      }
    tiles = std::move(longer);
  }
  return tiles;
}

/// Finds the least time of all nested tiles with every combination of order classes. It computes
/// costs with the models and does not call exact_search().
class Exhaustive {
 public:
  Exhaustive(const Computation& computation, const KernelCombo& kernels, const Machine& machine,
             const ExactOptions& options)
      : computation_(computation),
        kernels_(kernels),
        classes_(order_classes(computation)),
        machine_(machine),
        options_(options),
        whole_(covered_extents(computation, kernels.vectorised, machine.vector.lanes)) {}

  double optimum() {
    per_level_.tiles.resize(machine_.caches.size());
    per_level_.classes.resize(machine_.caches.size());
    costs_.resize(machine_.caches.size());
    descend(machine_.caches.size(), whole_);
    return best_;
  }

 private:
  void descend(std::size_t l, const Tile& within) {
    if (l == 0) return evaluate();
    for (const Tile& tile : tiles_between(computation_, kernels_.base, within)) {
      if (!chains(tile, within)) continue;
      // Without compute time, the best class of a level does not depend on the other levels.
      double cheapest = kInfinity;
      for (std::size_t c = 0; c < classes_.classes.size(); ++c) {
        const double cost = level_cost(l - 1, tile, within, classes_.classes[c].order);
        cheapest = std::min(cheapest, cost);
        if (!options_.with_compute || std::isinf(cost)) continue;
        choose(l, tile, static_cast<int>(c), cost);
      }
      if (!options_.with_compute && !std::isinf(cheapest)) choose(l, tile, 0, cheapest);
    }
  }

  void choose(std::size_t l, const Tile& tile, int order_class, double cost) {
    per_level_.tiles[l - 1] = tile;
    per_level_.classes[l - 1] = order_class;
    costs_[l - 1] = cost;
    if (join() < best_) descend(l - 1, tile);
    costs_[l - 1] = 0;
  }

  bool chains(const Tile& tile, const Tile& within) const {
    for (int d = 0; d < computation_.dims(); ++d)
      if (within[Dim{d}] % tile[Dim{d}] != 0) return false;
    return true;
  }

  double level_cost(std::size_t l, const Tile& tile, const Tile& within,
                    const LoopOrder& order) const {
    const CacheLevel& cache = machine_.caches[l];
    const auto holds =
        static_cast<double>(cache.capacity_bytes) / static_cast<double>(computation_.unit_bytes());
    std::optional<Dim> next;
    for (auto dim = order.rbegin(); dim != order.rend() && !next; ++dim)
      if (tile[*dim] < whole_[*dim]) next = *dim;
    if (static_cast<double>(
            required(computation_, tile, next, CapacityRule{.kind = options_.capacity})) > holds)
      return kInfinity;
    const auto all = required(computation_, whole_, std::nullopt, CapacityRule::ideal);
    if (options_.hot && static_cast<double>(all) <= holds) return 0;
    double executions = 1;
    for (int d = 0; d < computation_.dims(); ++d) {
      const std::int64_t trips = whole_[Dim{d}] / within[Dim{d}];
      executions *= static_cast<double>(trips);
    }
    const auto moved =
        static_cast<double>(weighted(computation_, volumes(computation_, order, tile, within)));
    return static_cast<double>(computation_.unit_bytes()) * executions * moved /
           cache.fill_bytes_per_second;
  }

  double join(double compute = 0) const {
    if (!std::isinf(options_.exponent)) return overlap_times(compute, costs_, options_.exponent);
    return std::max(compute, *std::max_element(costs_.begin(), costs_.end()));
  }

  void evaluate() {
    double compute = 0;
    if (options_.with_compute) {
      const Schedule schedule =
          to_schedule(computation_, kernels_, classes_, per_level_, machine_.vector.lanes);
      const Nest nest = resolve(schedule, computation_, machine_.vector.lanes);
      compute = call_cycles(computation_, nest, machine_) / machine_.clock.hertz;
    }
    best_ = std::min(best_, join(compute));
  }

  const Computation& computation_;
  const KernelCombo& kernels_;
  OrderClasses classes_;
  const Machine& machine_;
  ExactOptions options_;
  Tile whole_;
  PerLevelSchedule per_level_;
  std::vector<double> costs_;
  double best_ = kInfinity;
};

Computation small_problem(int i, toy::Random& random) {
  if (i % 4 == 3)
    return toy::gemm({.b = pick(random, {1, 2}),
                      .i = pick(random, {4, 6, 8}),
                      .j = pick(random, {4, 6, 9}),
                      .k = pick(random, {4, 8, 12})});
  return toy::conv({.n = pick(random, {1, 2}),
                    .g = pick(random, {1, 1, 2}),
                    .k = pick(random, {2, 4}),
                    .c = pick(random, {1, 2, 4}),
                    .h = pick(random, {1, 2, 3}),
                    .w = pick(random, {4, 6}),
                    .r = pick(random, {1, 3}),
                    .s = pick(random, {1, 2}),
                    .stride = pick(random, {1, 2}),
                    .dilation = pick(random, {1, 2})});
}

}  // namespace

TEST_CASE("exact: the best power-of-two tile of a gemm is 64x64 with the sum innermost") {
  const Computation gemm = toy::gemm({.i = 1024, .j = 1024, .k = 1024});
  const KernelCombo base = kernel(gemm, {{"j", 16}});
  const Machine machine = machine_of({{8192, 1}}, 16);
  OrderClasses classes = order_classes(gemm);
  const ExactResult all =
      exact_search(gemm, base, classes, machine, bottleneck(CapacityRule::ideal));
  CHECK(all.best.front().seconds == 35651584);
  const Tile& tile = all.best.front().tiles.front();
  CHECK(tile[toy::dim(gemm, "i")] == 64);
  CHECK(tile[toy::dim(gemm, "j")] == 64);

  std::erase_if(classes.classes, [](const OrderClass& each) { return each.name != "i"; });
  REQUIRE(classes.classes.size() == 1);
  const ExactResult inner_i =
      exact_search(gemm, base, classes, machine, bottleneck(CapacityRule::ideal));
  CHECK(inner_i.best.front().seconds == 51380224);
}

TEST_CASE("exact: known optima of three convolutions with three caches") {
  const std::vector<Level> levels = {{8192, 16}, {262144, 8}, {2359296, 4}};
  const std::vector<Level> inner = {levels[0], levels[1]};
  const Computation resnet2 = toy::conv({.k = 64, .c = 64, .h = 56, .w = 56, .r = 3, .s = 3});
  CHECK(optimum(resnet2, {{"k", 32}, {"w", 7}}, levels) == 163392);
  CHECK(optimum(resnet2, {{"k", 32}, {"w", 7}}, inner) == 90944);
  const Computation yolo8 = toy::conv({.k = 256, .c = 128, .h = 68, .w = 68, .r = 3, .s = 3});
  CHECK(optimum(yolo8, {{"k", 32}, {"w", 4}}, levels) == 1244672);
  const Computation yolo12 = toy::conv({.k = 512, .c = 256, .h = 34, .w = 34, .r = 3, .s = 3});
  CHECK(optimum(yolo12, {{"k", 32}, {"w", 17}}, levels) == 1589248);
}

TEST_CASE("exact: equals exhaustive enumeration of data movement on random problems") {
  using enum ElementType;
  constexpr std::array<std::array<ElementType, 3>, 3> kTypes = {
      {{f32, f32, f32}, {u8, s8, s32}, {bf16, bf16, f32}}};
  toy::for_trials(613, 36, [&](int i, toy::Random& random) {
    Computation computation = small_problem(i, random);
    for (std::size_t t = 0; t < 3; ++t) computation.tensors[t].type = kTypes[i / 4 % 3][t];
    const Machine machine = small_machine(computation, 2 + i % 2, random);
    const KernelCombo base = kernel(computation, {});
    for (const CapacityRule rule : {CapacityRule::ideal, CapacityRule::lru2}) {
      CAPTURE(static_cast<int>(rule.kind));
      ExactOptions options = bottleneck(rule);
      if (i % 3 == 0) options.exponent = 4;
      options.hot = i % 5 == 0;
      const ExactResult found =
          exact_search(computation, base, order_classes(computation), machine, options);
      REQUIRE_FALSE(found.best.empty());
      const double expected = Exhaustive(computation, base, machine, options).optimum();
      CHECK(found.best.front().seconds == close_to(expected).epsilon(1e-9));
      CHECK(found.bound == close_to(expected).epsilon(1e-9));
    }
  });
}

TEST_CASE("exact: equals exhaustive enumeration with the compute time of the written schedules") {
  toy::for_trials(77, 24, [&](int i, toy::Random& random) {
    const Computation computation = small_problem(i, random);
    Machine machine = small_machine(computation, 1 + i % 2, random);
    for (CacheLevel& cache : machine.caches)
      cache.fill_bytes_per_second *= 1e8, cache.write_bytes_per_second *= 1e8;
    // A call costs as much as ten steps, so the number of steps per call determines which tiles are
    // fastest.
    machine.rates.kernels = {{1, 1, 1, 10}};
    // Calls of few steps cost more or less than the linear cost of longer calls predicts.
    if (i % 3 > 0) machine.rates.kernels[0].cycles_per_short_call = i % 3 == 1 ? 20 : 3;
    const KernelCombo base = kernel(computation, {});
    ExactOptions options = bottleneck(i % 4 < 2 ? CapacityRule::ideal : CapacityRule::lru2);
    options.with_compute = true;
    options.exponent = i % 3 == 0 ? kInfinity : 3;
    const ExactResult found =
        exact_search(computation, base, order_classes(computation), machine, options);
    REQUIRE_FALSE(found.best.empty());
    const double expected = Exhaustive(computation, base, machine, options).optimum();
    CHECK(found.best.front().seconds == close_to(expected).epsilon(1e-9));
  });
}

TEST_CASE("exact: alternatives are sorted, different, and within the slack") {
  const Computation conv = toy::conv({.k = 64, .c = 32, .h = 12, .w = 28, .r = 3, .s = 3});
  const Machine machine = machine_of({{4096, 4e9}, {20000, 1e9}}, 16);
  ExactOptions options;
  options.slack = 0.2;
  options.keep = 5;
  const ExactResult found = exact_search(conv, kernel(conv, {{"k", 32}, {"w", 14}}),
                                         order_classes(conv), machine, options);
  REQUIRE(found.best.size() > 1);
  CHECK(found.best.size() <= 5);
  for (std::size_t i = 1; i < found.best.size(); ++i) {
    CHECK(found.best[i].seconds >= found.best[i - 1].seconds);
    CHECK(found.best[i].seconds <= 1.2 * found.best[0].seconds);
    CHECK_FALSE(found.best[i] == found.best[i - 1]);
  }
}

TEST_CASE("exact: what cannot come near the incumbent is empty, and the bound says why") {
  const Computation conv = toy::conv({.k = 64, .c = 32, .h = 12, .w = 28, .r = 3, .s = 3});
  const Machine machine = machine_of({{4096, 4e9}, {20000, 1e9}}, 16);
  const KernelCombo base = kernel(conv, {{"k", 32}, {"w", 14}});
  ExactOptions options;
  const double best =
      exact_search(conv, base, order_classes(conv), machine, options).best.front().seconds;
  options.incumbent = best / 2;
  const ExactResult none = exact_search(conv, base, order_classes(conv), machine, options);
  CHECK(none.best.empty());
  CHECK(none.bound > options.incumbent);
  CHECK(none.bound <= best);
  options.incumbent = best * 1.05;
  CHECK(exact_search(conv, base, order_classes(conv), machine, options).best.front().seconds ==
        best);
}

TEST_CASE("exact: stopped early, the bound still holds and the result says so") {
  const Computation conv = toy::conv({.k = 256, .c = 128, .h = 68, .w = 68, .r = 3, .s = 3});
  const Machine machine = machine_of({{8192, 16e9}, {200000, 8e9}, {600000, 4e9}}, 16);
  const KernelCombo base = kernel(conv, {{"k", 32}, {"w", 4}});
  ExactOptions options;
  const ExactResult proven = exact_search(conv, base, order_classes(conv), machine, options);
  CHECK(proven.complete);
  CHECK(proven.bound == proven.best.front().seconds);
  options.most_nodes = 4;
  const ExactResult stopped = exact_search(conv, base, order_classes(conv), machine, options);
  CHECK_FALSE(stopped.complete);
  CHECK(stopped.nodes == 4);
  REQUIRE_FALSE(stopped.best.empty());
  CHECK(stopped.best.front().seconds >= proven.best.front().seconds);
  CHECK(stopped.bound <= proven.best.front().seconds);
  CHECK(stopped.bound > 0);
}

TEST_CASE("exact: a cache that not even the base fits re-loads everything at every step") {
  // Each of 4 steps loads 1 + 16 + 16 elements and also writes C back.
  const Computation gemm = toy::gemm({.i = 2, .j = 16, .k = 2});
  const ExactResult found = exact_search(gemm, kernel(gemm, {{"j", 16}}), order_classes(gemm),
                                         machine_of({{8, 1}}, 16), bottleneck(CapacityRule::ideal));
  REQUIRE(found.best.size() >= 1);
  CHECK(found.best.front().seconds == 4 * (1 + 16 + 2 * 16));
}

TEST_CASE("exact: write-backs cost what the write bandwidth says") {
  // The cache holds all data. A and B are loaded once, and C is loaded and written once. A store
  // takes as long as four reads and contains one, so the write-back counts as three.
  const Computation gemm = toy::gemm({.i = 2, .j = 16, .k = 2});
  Machine machine = machine_of({{1000, 1}}, 16);
  machine.caches[0].write_bytes_per_second = machine.caches[0].fill_bytes_per_second / 4;
  const ExactResult found = exact_search(gemm, kernel(gemm, {{"j", 16}}), order_classes(gemm),
                                         machine, bottleneck(CapacityRule::ideal));
  CHECK(found.best.front().seconds == 4 + 32 + 32 + 3 * 32);
}

}  // namespace tileplan
