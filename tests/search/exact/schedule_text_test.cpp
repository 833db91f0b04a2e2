// SPDX-License-Identifier: Apache-2.0
// This test checks that tiles and orders of all levels are written as loops that cover their
// problem.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "exact.h"
#include "nest.h"
#include "small_machine.h"

namespace tileplan {

using toy::kernel;

TEST_CASE("to_schedule: bands in class order, then channels and pixels, then reductions") {
  const Computation conv = toy::conv({.k = 64, .c = 8, .h = 4, .w = 28, .r = 3, .s = 3});
  const OrderClasses classes = order_classes(conv);
  const auto named = [&](const std::string& name) {
    const auto at = std::find_if(classes.classes.begin(), classes.classes.end(),
                                 [&](const OrderClass& each) { return each.name == name; });
    return static_cast<int>(at - classes.classes.begin());
  };
  PerLevelSchedule per_level;
  per_level.tiles = {
      toy::tile(conv, {{"k", 64}, {"c", 4}, {"w", 14}, {"s", 3}}),
      toy::tile(conv, {{"k", 64}, {"c", 8}, {"w", 14}, {"h", 4}, {"r", 3}, {"s", 3}})};
  per_level.classes = {named("h"), named("w")};
  const Schedule schedule =
      to_schedule(conv, kernel(conv, {{"k", 32}, {"w", 14}}), classes, per_level, 16);
  CHECK(to_string(schedule) ==
        "[T(2,w), T(2,c), T(3,r), T(4,h), T(2,k), T(3,s), T(4,c), U(14,w), U(2,k), V(k)]");
  resolve(schedule, conv, 16);
}

TEST_CASE("to_schedule: a lambda of columns is sized by U, one of channels counts vectors") {
  const Computation conv = toy::conv({.k = 80, .c = 8, .w = 34});
  const OrderClasses classes = order_classes(conv);
  const Tile whole = toy::whole(conv);
  KernelCombo columns = kernel(conv, {{"k", 16}, {"w", 17}});
  columns.lambda = Lambda{toy::dim(conv, "w"), {{1, 8}, {1, 9}}, 17};
  const Schedule by_columns = to_schedule(conv, columns, classes, {{whole}, {0}, 0}, 16);
  CHECK(to_string(by_columns) == "[T(5,k), T(2,w), L(w,[1*8,1*9]), T(8,c), U(w), V(k)]");
  resolve(by_columns, conv, 16);

  KernelCombo channels = kernel(conv, {{"k", 80}, {"w", 2}});
  channels.lambda = Lambda{toy::dim(conv, "k"), {{1, 32}, {1, 48}}, 80};
  const Schedule by_channels = to_schedule(conv, channels, classes, {{whole}, {0}, 0}, 16);
  CHECK(to_string(by_channels) == "[L(k,[1*2,1*3]), T(17,w), T(8,c), U(2,w), U(k), V(k)]");
  const Nest nest = resolve(by_channels, conv, 16);
  CHECK(nest.loops[0].parts == std::vector<Part>{{1, 32}, {1, 48}});
}

TEST_CASE("to_schedule: every schedule found covers its problem") {
  toy::for_random_computations(5, 40, [&](const Computation& computation, toy::Random& random) {
    const OrderClasses classes = order_classes(computation);
    Machine machine = toy::small_machine(computation, 2, random);
    machine.vector.lanes = 16;
    for (const KernelCombo& kernels : kernel_combos(computation, machine, 4)) {
      const ExactResult found = exact_search(computation, kernels, classes, machine, {});
      REQUIRE_FALSE(found.best.empty());
      for (const PerLevelSchedule& per_level : found.best)
        resolve(to_schedule(computation, kernels, classes, per_level, 16), computation, 16);
    }
  });
}

}  // namespace tileplan
