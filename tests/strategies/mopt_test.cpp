// SPDX-License-Identifier: Apache-2.0
// This test checks MOpt's selection on products whose best real tiles are known.
#include "mopt.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "close_to.h"
#include "small_machine.h"

using namespace tileplan;

namespace {

constexpr std::int64_t kSize = 1024;

RelaxProblem product_problem(const Computation& gemm, const std::vector<RelaxLevel>& levels) {
  RelaxProblem problem;
  for (int d = 0; d < gemm.dims(); ++d) problem.base[Dim{d}] = 1;
  problem.levels = levels;
  problem.orders.assign(levels.size(), toy::inner_to_outer(gemm, "kij"));
  problem.rule = CapacityRule::ideal;
  return problem;
}

}  // namespace

TEST_CASE("mopt: the best real tile of a product is rounded down to divisors") {
  const Computation gemm = toy::gemm({.i = kSize, .j = kSize, .k = kSize});
  const auto selection = select_tiles(gemm, toy::whole(gemm), product_problem(gemm, {{8192, 1}}));
  REQUIRE(selection.has_value());
  // The best real tile is 89.52 x 89.52 x 1, which moves 26087310.5 elements.
  REQUIRE(selection->costs.size() == 1);
  CHECK(selection->costs.front() == close_to(26087310.5).epsilon(1e-5));
  REQUIRE(selection->schedule.tiles.size() == 1);
  const Tile& tile = selection->schedule.tiles.front();
  CHECK(tile[gemm.dim("i")] == 64);
  CHECK(tile[gemm.dim("j")] == 64);
  CHECK(tile[gemm.dim("k")] == 1);
}

TEST_CASE("mopt: a level that limits alone is fixed first, and the other keeps its own optimum") {
  const Computation gemm = toy::gemm({.i = kSize, .j = kSize, .k = kSize});
  // The second cache is filled so slowly that it decides alone. Its best real tile is 511.001 x
  // 511.001 x 1. Inside 511 x 511, the first cache has the same solution as in the case above.
  const auto selection =
      select_tiles(gemm, toy::whole(gemm), product_problem(gemm, {{8192, 1}, {262144, 1e-3}}));
  REQUIRE(selection.has_value());
  REQUIRE(selection->costs.size() == 2);
  CHECK(selection->costs[0] == close_to(6299656.0 * 1e3).epsilon(1e-5));
  CHECK(selection->costs[1] < selection->costs[0]);
  const std::vector<Tile>& tiles = selection->schedule.tiles;
  CHECK(tiles[1][gemm.dim("i")] == 256);
  CHECK(tiles[1][gemm.dim("k")] == 1);
  for (int d = 0; d < gemm.dims(); ++d) CHECK(tiles[1][Dim{d}] % tiles[0][Dim{d}] == 0);
}

TEST_CASE("mopt: all choices of classes are solved, and the least cost is first") {
  CHECK(class_choices(2, 2) == std::vector<std::vector<int>>{{0, 0}, {1, 0}, {0, 1}, {1, 1}});
  const Computation gemm = toy::gemm({.i = kSize, .j = kSize, .k = kSize});
  const Machine machine = toy::machine_of({{8192, 16}, {262144, 8}}, 16);
  KernelCombo kernels;
  kernels.base = toy::tile(gemm, {{"i", 8}, {"j", 32}});
  kernels.vectorised = gemm.dim("j");
  const OrderClasses classes = order_classes(gemm);
  const std::vector<MoptSelection> all = mopt_selections(gemm, kernels, classes, machine);
  CHECK(all.size() == 9);
  CHECK(std::ranges::is_sorted(all, {}, &MoptSelection::costs));
  for (const MoptSelection& one : all)
    for (const Tile& tile : one.schedule.tiles) {
      CHECK(tile[gemm.dim("i")] % 8 == 0);
      CHECK(kSize % tile[gemm.dim("j")] == 0);
    }
}
