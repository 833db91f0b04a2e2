// SPDX-License-Identifier: Apache-2.0
// This test checks the lists and the metric of TTile on cases that were counted by hand.
#include "ttile.h"

#include <doctest/doctest.h>

#include <set>

#include "close_to.h"
#include "small_machine.h"

using namespace tileplan;

namespace {

struct Product {
  Computation gemm = toy::gemm({.i = 68, .j = 64, .k = 12});
  KernelCombo kernels;
  Product() {
    kernels.base = toy::tile(gemm, {{"i", 2}, {"j", 32}});
    kernels.vectorised = gemm.dim("j");
  }
};

}  // namespace

TEST_CASE("ttile: 34 trips over two bands have four ways, and 12 over one band has one") {
  const Product product;
  const Dim i = product.gemm.dim("i"), j = product.gemm.dim("j"), k = product.gemm.dim("k");
  const TtilePermutation permutation{.classes = {0, 1}, .bands = {{i, k}, {j}, {i}}};
  const std::vector<PerLevelSchedule> all =
      ttile_completions(product.gemm, permutation, product.kernels, toy::whole(product.gemm));
  CHECK(all.size() == 4);
  std::set<std::int64_t> inner;
  for (const PerLevelSchedule& one : all) {
    REQUIRE(one.tiles.size() == 2);
    inner.insert(one.tiles[0][i]);
    CHECK(one.tiles[1][i] == one.tiles[0][i]);
    CHECK(one.tiles[0][j] == 32);
    CHECK(one.tiles[1][j] == 64);
    CHECK(one.tiles[0][k] == 12);
    CHECK(one.classes == std::vector<int>{0, 1});
  }
  CHECK(inner == std::set<std::int64_t>{2, 4, 34, 68});
}

TEST_CASE("ttile: the permutation covers every dim with trips") {
  const Product product;
  const Machine machine = toy::machine_of({{512, 16}, {4096, 8}}, 16);
  const OrderClasses classes = order_classes(product.gemm);
  const auto permutation = ttile_permutation(product.gemm, product.kernels, classes, machine);
  REQUIRE(permutation.has_value());
  CHECK(permutation->classes.size() == 2);
  std::set<Dim> looped;
  for (const std::vector<Dim>& band : permutation->bands) looped.insert(band.begin(), band.end());
  for (const char* dim : {"i", "j", "k"}) CHECK(looped.contains(product.gemm.dim(dim)));
  CHECK_FALSE(looped.contains(product.gemm.dim("b")));
}

TEST_CASE("ttile: the loops over the reduction directly around the register tile count") {
  const Computation conv = toy::conv({.k = 32, .c = 16, .h = 4, .w = 4, .r = 3, .s = 3});
  const auto trips = [&](const char* text) { return reduction_trips(conv, parse_schedule(text)); };
  CHECK(trips("[T(3,r), T(3,s), T(16,c), U(4,w), U(2,k), V(k)]") == 16);
  CHECK(trips("[T(3,r), T(3,s), T(4,c), T(2,c), U(4,w), U(2,k), V(k)]") == 8);
  CHECK(trips("[T(16,c), T(3,r), T(3,s), U(4,w), U(2,k), V(k)]") == 1);
}

TEST_CASE("ttile: 40 % with the most reduction trips and their ties, least movement first") {
  const std::vector<double> costs{5, 1, 4, 2, 3};
  const auto cost = [&](std::size_t place) { return costs[place]; };
  // 40 % of five schedules are two. A third schedule is also kept, because it has as many trips as
  // the second.
  CHECK(ttile_order({8, 1, 4, 2, 4}, cost) == std::vector<std::size_t>{4, 2, 0});
  CHECK(ttile_order({1, 1, 1, 1, 1}, cost) == std::vector<std::size_t>{1, 3, 4, 2, 0});
  CHECK(ttile_order({}, cost).empty());
}

TEST_CASE("ttile: movement is the sum of what each link moves in its own time") {
  const Computation gemm = toy::gemm({.i = 4, .j = 16, .k = 2});
  // Both caches hold all data, so 8 elements of A, 32 of B and twice 64 of C move between each
  // cache and the next level.
  const Machine machine = toy::machine_of({{1024, 4}, {4096, 2}}, 16);
  const double seconds = movement_seconds(gemm, parse_schedule("[T(2,k), U(4,i), V(j)]"), machine);
  const auto moved = static_cast<double>((8 + 32 + 2 * 64) * gemm.unit_bytes());
  CHECK(seconds == close_to(moved / machine.caches[0].fill_bytes_per_second +
                            moved / machine.caches[1].fill_bytes_per_second));
}
