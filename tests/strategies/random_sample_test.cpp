// SPDX-License-Identifier: Apache-2.0
// This test checks that random schedules cover their problem exactly.
#include "random_sample.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "nest.h"
#include "small_computation.h"

using namespace tileplan;

namespace {

constexpr int kLanes = 4;

/// Returns a combination of two microkernels. Their tiles have two rows, three or four columns, and
/// one vector of k, and together cover 7 of the 14 columns.
KernelCombo pair_of(const Computation& computation) {
  const Dim w = toy::dim(computation, "w");
  KernelCombo combo;
  combo.base = toy::tile(computation, {{"h", 2}, {"w", 7}, {"k", kLanes}});
  combo.lambda = Lambda{.dim = w, .parts = {{1, 3}, {1, 4}}, .block = 7};
  combo.vectorised = toy::dim(computation, "k");
  return combo;
}

Computation layer() { return toy::conv({.k = 16, .c = 6, .h = 8, .w = 14, .r = 3, .s = 3}); }

}  // namespace

TEST_CASE("random schedules: products equal the extents, lambdas among their loops included") {
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  const Computation computation = layer();
  std::set<std::string> lambdas;
  for (int i = 0; i < 200; ++i) {
    const Schedule drawn = random_schedule(computation, {pair_of(computation)}, kLanes, random);
    CAPTURE(to_string(drawn));
    CHECK_NOTHROW(resolve(drawn, computation, kLanes));
    for (const Specifier& one : drawn.loops)
      if (one.kind == Kind::lambda) lambdas.insert(to_string(one));
  }
  // If the list of blocks (lambda) is outside the loop of two trips over w, its blocks are twice as
  // large.
  CHECK(lambdas == std::set<std::string>{"L(w,[1*3,1*4])", "L(w,[1*6,1*8])"});
}

TEST_CASE("random schedules: the loop directly above the register tile runs over input channels") {
  std::mt19937 random(1);
  const Computation computation = layer();
  KernelCombo combo = pair_of(computation);
  combo.lambda.reset();
  for (int i = 0; i < 50; ++i) {
    const Schedule drawn = random_schedule(computation, {combo}, kLanes, random);
    const auto tile = std::find_if(drawn.loops.begin(), drawn.loops.end(),
                                   [](const auto& one) { return one.kind == Kind::unroll; });
    REQUIRE(tile != drawn.loops.begin());
    CHECK(std::prev(tile)->dim == "c");
    CHECK(std::prev(tile)->count > 1);
  }
}

TEST_CASE("random schedules: the same generator draws the same") {
  std::mt19937 first(7), second(7);
  const Computation computation = layer();
  CHECK(random_schedule(computation, {pair_of(computation)}, kLanes, first) ==
        random_schedule(computation, {pair_of(computation)}, kLanes, second));
}
