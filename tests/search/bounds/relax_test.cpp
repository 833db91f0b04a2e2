// SPDX-License-Identifier: Apache-2.0
// This test compares relaxed optima with closed forms and with optima from an independent solver.
#include "relax.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "close_to.h"
#include "movement.h"
#include "random_computation.h"

namespace tileplan {
namespace {

constexpr double kRelative = 1e-5;

PerDim<double> ones(const Computation& computation) {
  PerDim<double> sizes;
  for (int d = 0; d < computation.dims(); ++d) sizes[Dim{d}] = 1;
  return sizes;
}

/// Describes a product of size 1024^3 and one cache. The loop order is given from inner to outer,
/// and `kappa` is the least size along `streamed`, the dimension of the innermost loop.
struct GemmRow {
  std::string order;
  std::string streamed;
  double kappa, capacity;
  CapacityRule rule = CapacityRule::ideal;
};

Relaxed relax_gemm(const GemmRow& row, RelaxStart start) {
  const Computation gemm = toy::gemm({.i = 1024, .j = 1024, .k = 1024});
  RelaxProblem problem;
  problem.base = ones(gemm);
  problem.base[toy::dim(gemm, row.streamed)] = row.kappa;
  problem.levels = {{.capacity = row.capacity, .bandwidth = 1}};
  problem.orders = {toy::inner_to_outer(gemm, row.order)};
  problem.rule = row.rule;
  problem.start = start;
  return relax(gemm, problem);
}

/// Relaxes a convolution with three caches. The caches have 8192, 262144 and 2359296 elements and
/// load 16, 8 and 4 elements per unit of time.
Relaxed relax_conv(const Computation& conv, double base_w, const std::vector<std::string>& orders,
                   WindowForm form, RelaxStart start) {
  RelaxProblem problem;
  problem.base = ones(conv);
  problem.base[toy::dim(conv, "k")] = 32;
  problem.base[toy::dim(conv, "w")] = base_w;
  problem.levels = {{8192, 16}, {262144, 8}, {2359296, 4}};
  for (const std::string& order : orders)
    problem.orders.push_back(toy::inner_to_outer(conv, order));
  problem.rule = CapacityRule::ideal;
  problem.form = form;
  problem.start = start;
  return relax(conv, problem);
}

// The loop orders of the classes are given from inner to outer, without the batch.
const std::string kW = "whkcrs", kS = "scrkhw", kKw = "kwchrs";

/// Describes a layer with 3x3 taps and a register tile of 6 columns, and its known optima in time
/// units for two forms of windows.
struct ConvRow {
  std::string name;
  std::int64_t k, c, pixels, stride;
  std::vector<std::string> orders;
  double posynomial, exact;
};

}  // namespace

TEST_CASE("relax: a fixed tile is kept, and only the levels that count are minimised") {
  const Computation gemm = toy::gemm({.i = 1024, .j = 1024, .k = 1024});
  RelaxProblem problem;
  problem.base = ones(gemm);
  problem.levels = {{.capacity = 8192, .bandwidth = 1}};
  problem.orders = {toy::inner_to_outer(gemm, "kij")};
  problem.rule = CapacityRule::ideal;
  PerDim<double> tile = ones(gemm);
  tile[toy::dim(gemm, "i")] = tile[toy::dim(gemm, "j")] = 64;
  problem.fixed = {tile};
  // Tiles of 64 x 64 load 2 * 1024^3 / 64 elements of A and B, and C is moved twice.
  CHECK(relax(gemm, problem).seconds == close_to(35651584.0).epsilon(kRelative));

  problem.levels = {{.capacity = 8192, .bandwidth = 1, .counts = false},
                    {.capacity = 262144, .bandwidth = 1}};
  problem.orders.push_back(problem.orders.front());
  problem.fixed = {};
  const Relaxed outer = relax(gemm, problem);
  REQUIRE(outer.solved);
  CHECK(outer.slowest == 1);
  CHECK(outer.seconds == close_to(6299656.0).epsilon(kRelative));
  problem.levels[0].counts = true;
  CHECK(relax(gemm, problem).slowest == 0);
}

TEST_CASE("relax: gemm tiles are those of the closed form") {
  struct Row {
    GemmRow gemm;
    // A total volume or a tile size of 0 is not known, and is not checked.
    double volume;
    double tile_i;
  };
  const std::vector<Row> rows = {
      {{"kij", "k", 1, 8192}, 26087310.5, 89.5152},
      {{"kij", "k", 6, 8192}, 27448658.8, 84.7083},
      {{"kij", "k", 16, 8192}, 30385898.1, 75.9130},
      {{"kij", "k", 1, 1024}, 71335928.0, 31.0156},
      {{"kij", "k", 1, 262144}, 6299656.0, 511.0010},
      {{"kij", "k", 1, 8192, CapacityRule::lru2}, 0, 88.5318},
      {{"ijk", "i", 1, 8192}, 34998271.9, 0},
  };
  for (const Row& row : rows)
    for (const RelaxStart start : {RelaxStart::base, RelaxStart::capacity}) {
      CAPTURE(row.gemm.order);
      CAPTURE(row.gemm.kappa);
      CAPTURE(row.gemm.capacity);
      CAPTURE(static_cast<int>(start));
      const Relaxed found = relax_gemm(row.gemm, start);
      REQUIRE_MESSAGE(found.solved, found.why);
      const Computation gemm = toy::gemm({});
      if (row.volume > 0) CHECK(found.seconds == close_to(row.volume).epsilon(kRelative));
      if (row.tile_i > 0)
        CHECK(found.tiles[0][toy::dim(gemm, "i")] == close_to(row.tile_i).epsilon(1e-4));
    }
}

TEST_CASE("relax: with i innermost the gemm tile is taller along the sum, where C saves twice") {
  const Computation gemm = toy::gemm({});
  const Relaxed found = relax_gemm({"ijk", "i", 1, 8192}, RelaxStart::both);
  CHECK(found.tiles[0][toy::dim(gemm, "j")] == close_to(63.5).epsilon(1e-3));
  CHECK(found.tiles[0][toy::dim(gemm, "k")] == close_to(126.0232).epsilon(1e-3));
}

TEST_CASE("relax: three-level convolutions reach the known optimum from both starts") {
  const std::vector<ConvRow> rows = {
      {"Yolo9000-8", 256, 128, 68, 1, {kS, kW, kW}, 9.187893e5, 8.732044e5},
      {"Yolo9000-8", 256, 128, 68, 1, {kKw, kW, kS}, 2.564325e6, 2.480661e6},
      {"ResNet18-2", 64, 64, 56, 1, {kS, kW, kW}, 1.652640e5, 1.633920e5},
      {"ResNet18-7", 256, 128, 14, 2, {kS, kW, kW}, 1.295680e5, 1.257280e5},
      {"Yolo9000-12", 512, 256, 34, 1, {kW, kS, kKw}, 1.529295e6, 1.400680e6},
      {"Yolo9000-0", 32, 3, 544, 1, {kKw, kW, kS}, 4.962883e6, 4.961193e6},
  };
  for (const ConvRow& row : rows)
    for (const WindowForm form : {WindowForm::posynomial, WindowForm::exact})
      for (const RelaxStart start : {RelaxStart::base, RelaxStart::capacity}) {
        CAPTURE(row.name);
        CAPTURE(row.orders[0]);
        CAPTURE(static_cast<int>(form));
        CAPTURE(static_cast<int>(start));
        const Computation conv = toy::conv({.k = row.k,
                                            .c = row.c,
                                            .h = row.pixels,
                                            .w = row.pixels,
                                            .r = 3,
                                            .s = 3,
                                            .stride = row.stride});
        const Relaxed found = relax_conv(conv, 6, row.orders, form, start);
        CHECK_MESSAGE(found.solved, found.why);
        const double expected = form == WindowForm::exact ? row.exact : row.posynomial;
        CHECK(found.seconds == close_to(expected).epsilon(kRelative));
        CHECK(found.evaluations < 200);
      }
}

TEST_CASE("relax: a base that does not fit is said") {
  const Relaxed found = relax_gemm({"kij", "k", 512, 512}, RelaxStart::both);
  CHECK_FALSE(found.solved);
  CHECK(found.why == "the base does not fit level 1");
}

TEST_CASE("relax: the time is that of the volumes of its tiles") {
  const Computation conv =
      toy::conv({.k = 64, .c = 32, .h = 20, .w = 20, .r = 3, .s = 3, .stride = 2});
  const Relaxed found = relax_conv(conv, 5, {kS, kKw, kW}, WindowForm::exact, RelaxStart::both);
  REQUIRE_MESSAGE(found.solved, found.why);
  PerDim<double> whole;
  for (int d = 0; d < conv.dims(); ++d) whole[Dim{d}] = static_cast<double>(conv.extent(Dim{d}));
  double slowest = 0;
  const std::vector<std::string> orders = {kS, kKw, kW};
  const std::vector<double> bandwidth = {16, 8, 4};
  for (std::size_t l = 0; l < 3; ++l) {
    const PerDim<double>& within = l == 2 ? whole : found.tiles[l + 1];
    double times = 1;
    for (int d = 0; d < conv.dims(); ++d) times *= whole[Dim{d}] / within[Dim{d}];
    const LoopOrder order = toy::inner_to_outer(conv, orders[l]);
    const double moved = weighted(conv, volumes(conv, order, found.tiles[l], within));
    slowest = std::max(slowest, times * moved / bandwidth[l]);
  }
  // The model `volumes` ignores loops that the optimum reduces to one trip, so it may count less.
  CHECK(slowest <= found.seconds * (1 + 1e-6));
}

TEST_CASE("relax: both starts agree on random convex problems") {
  toy::for_trials(20260101, 50, [&](int, toy::Random& random) {
    const Computation conv = toy::conv({.k = 32 * toy::uniform(random, 1, 16),
                                        .c = toy::uniform(random, 8, 512),
                                        .h = toy::uniform(random, 7, 112),
                                        .w = toy::uniform(random, 7, 112),
                                        .r = 3,
                                        .s = 3,
                                        .stride = toy::uniform(random, 1, 2)});
    const std::vector<std::string> orders = {kW, kS, kKw};
    std::vector<std::string> chosen;
    chosen.reserve(3);
    for (int l = 0; l < 3; ++l) chosen.push_back(orders[toy::uniform(random, 0, 2)]);
    const Relaxed low = relax_conv(conv, 1, chosen, WindowForm::posynomial, RelaxStart::base);
    const Relaxed high = relax_conv(conv, 1, chosen, WindowForm::posynomial, RelaxStart::capacity);
    CHECK_MESSAGE(low.solved, low.why);
    CHECK_MESSAGE(high.solved, high.why);
    CHECK(low.seconds == close_to(high.seconds).epsilon(1e-6));
  });
}

}  // namespace tileplan
