// SPDX-License-Identifier: Apache-2.0
// This test compares schedules in the scheme notation of TTile with strings worked out by hand.
#include <doctest/doctest.h>

#include "writers.h"

using namespace tileplan;

namespace {

const Problem kLayer = ConvShape{.c = 64, .k = 512, .height = {.out = 56}, .width = {.out = 56}};

}  // namespace

TEST_CASE("scheme: reductions around the register tile are hoisted") {
  const Schedule schedule =
      parse_schedule("[T(4,h), T(3,r), T(64,c), U(14,w), U(2,k), V(k)] in=nhwc out=nhwc");
  CHECK(to_scheme(schedule, kLayer) ==
        "[V f; U (2, f); U (14, x); T (64, c); T (3, h); Hoist_vars [c; h]; T (4, y)]");
}

TEST_CASE("scheme: two blocks of 9 and one of 10 are a lambda") {
  const Schedule schedule =
      parse_schedule("[L(h,[2*9,1*10]), T(64,c), U(h), V(k)] in=nhwc out=nhwc");
  CHECK(to_scheme(schedule, kLayer) ==
        "[V f; ULambda y; T (64, c); Hoist_vars [c]; Lambda_apply y [((Iter 2); (Arg 9)); ((Iter "
        "1); (Arg 10))]]");
}
