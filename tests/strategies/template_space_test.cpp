// SPDX-License-Identifier: Apache-2.0
// This test checks the knobs of AutoTVM's template and the loops that they give.
#include "template_space.h"

#include <doctest/doctest.h>

#include "nest.h"

using namespace tileplan;

namespace {

std::optional<StrategySpace> space_of(const char* problem) {
  return template_space(parse_problem(problem), load_machine("xeon-gold-6130").vector,
                        [](const Schedule&) { return true; });
}

}  // namespace

TEST_CASE("template: divisors of the channels, divisors and powers of two of the columns") {
  const auto space = space_of("mb1ic64ih28oc32oh28kh3ph1");
  REQUIRE(space.has_value());
  REQUIRE(space->coordinates.size() == 4);
  CHECK(space->coordinates[0].values == 7);  // The values of tile_ic are 1, 2, 4, 8, 16, 32 and 64.
  // The values of tile_oc are 16 and 32, which are whole vectors.
  CHECK(space->coordinates[1].values == 2);
  // The values of tile_ow are 1, 2, 4, 7, 8, 14, 16 and 28.
  CHECK(space->coordinates[2].values == 8);
  CHECK(space->coordinates[3].name == "unroll_kw");
}

TEST_CASE("template: points are the loops of TVM's schedule") {
  const auto space = space_of("mb1ic64ih28oc32oh28kh3ph1");
  REQUIRE(space.has_value());
  CHECK(space->text({2, 0, 3, 0}) ==
        "[T(2,k), T(28,h), T(4,w), T(16,c), T(3,r), T(3,s), T(4,c), U(7,w), V(k)] in=nChw16c "
        "out=nChw16c");
  CHECK(space->text({2, 1, 3, 1}) ==
        "[T(28,h), T(4,w), T(16,c), T(3,r), T(4,c), T(3,s), U(7,w), U(2,k), V(k)] in=nChw16c "
        "out=nChw16c");
  // The columns are divided into 3 tiles of 8 and one tile of 4.
  CHECK(space->text({6, 1, 4, 0}) ==
        "[T(28,h), L(w,[3*8,1*4]), T(3,r), T(3,s), T(64,c), U(w), U(2,k), V(k)] in=nChw16c "
        "out=nChw16c");
}

TEST_CASE("template: every point covers the layer, and has as many features") {
  const char* const layer = "mb2ic8ih14oc48oh14kh3ph1";
  const auto space = space_of(layer);
  REQUIRE(space.has_value());
  const Computation computation = computation_of(parse_problem(layer));
  const std::size_t features = space->features({0, 0, 0, 0}).size();
  for (int ic = 0; ic < space->coordinates[0].values; ++ic)
    for (int oc = 0; oc < space->coordinates[1].values; ++oc)
      for (int ow = 0; ow < space->coordinates[2].values; ++ow)
        for (int unroll = 0; unroll < 2; ++unroll) {
          const SpacePoint point{ic, oc, ow, unroll};
          CAPTURE(space->text(point));
          CHECK_NOTHROW(resolve(parse_schedule(space->text(point)), computation, 16));
          CHECK(space->features(point).size() == features);
        }
}

TEST_CASE("template: 1 x 1 filters have rows in the register tile instead of unrolling") {
  const auto space = space_of("mb1ic64ih7oc64oh7kh1ph0");
  REQUIRE(space.has_value());
  CHECK(space->coordinates[3].name == "tile_oh");
  CHECK(is_valid(*space, {0, 0, 0, 0}));
  // This point is invalid, because two rows do not divide seven.
  CHECK_FALSE(is_valid(*space, {0, 0, 0, 1}));
  const auto even = space_of("mb1ic64ih14oc64oh14kh1ph0");
  CHECK(even->text({6, 2, 3, 1}) ==
        "[T(7,h), T(2,w), T(64,c), U(2,h), U(7,w), U(4,k), V(k)] in=nChw16c out=nChw16c");
}

TEST_CASE("template: products, grouped layers and channels that are no whole vectors have none") {
  CHECK_FALSE(space_of("m64n64k64").has_value());
  CHECK_FALSE(space_of("g2mb1ic64ih14oc64oh14kh3ph1").has_value());
  CHECK_FALSE(space_of("mb1ic64ih3oc28269oh3kh1ph0").has_value());
}
