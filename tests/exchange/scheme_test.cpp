// SPDX-License-Identifier: Apache-2.0
// Scheme strings of the papers and of XTC, each worked out by hand.
#include "scheme.h"

#include <doctest/doctest.h>

#include "tileplan/error.h"

using namespace tileplan;

namespace {

const Problem kLayer = ConvShape{.c = 64, .k = 512, .height = {.out = 56}, .width = {.out = 56}};

std::string read_text(const std::string& scheme) { return to_string(read_scheme(scheme, kLayer)); }

}  // namespace

TEST_CASE("scheme: the papers' example, innermost first") {
  CHECK(read_text("[V f; U (2, f); U (14, y); T (64, c); Hoist_vars [c]; T (3, h); T (7, x); "
                  "T (3, w); T (8, x); T (4, y)]") ==
        "[T(4,h), T(8,w), T(3,s), T(7,w), T(3,r), T(64,c), U(14,h), U(2,k), V(k)] in=nhwc "
        "out=nhwc");
}

TEST_CASE("scheme: written in the papers' form, reductions around the register tile hoisted") {
  const Schedule schedule =
      parse_schedule("[T(4,h), T(3,r), T(64,c), U(14,w), U(2,k), V(k)] in=nhwc out=nhwc");
  CHECK(to_scheme(schedule, kLayer) ==
        "[V f; U (2, f); U (14, x); T (64, c); T (3, h); Hoist_vars [c; h]; T (4, y)]");
}

TEST_CASE("scheme: two blocks of 9 and one of 10, in both forms") {
  const std::string loops = "[L(h,[2*9,1*10]), T(64,c), U(h), V(k)] in=nhwc out=nhwc";
  CHECK(read_text("[V f; ULambda y; T (64, c); Hoist_vars [c]; Lambda_apply y [((Iter 2); (Arg "
                  "9)); ((Iter 1); (Arg 10))]]") == loops);
  CHECK(read_text("[V(f, 16); UL(y,[9,10]); T(c, 64); Hoist_var(['O']); TL(y,[2,1]); Seq(y)]") ==
        loops);
  CHECK(read_text(to_scheme(parse_schedule(loops), kLayer)) == loops);
}

TEST_CASE("scheme: XTC's absolute sizes and parallel loops") {
  CHECK(read_text("[V(f, 16); U(x, 8); Tpart(x, 40); Tparal(f, 2)]") ==
        "[P(2,k), T(5,w), U(8,w), V(k)] in=nhwc out=nhwc");
}

TEST_CASE("scheme: what is none is refused with the specifier") {
  for (const auto& [text, rule] :
       {std::pair{"V f", "must be specifiers in [ ]"},
        std::pair{"[V f; T (2, (c]", "brackets must match"}, std::pair{"[V q]", "must name a dim"},
        std::pair{"[Z (2, c)]", "must be V, U, T"}, std::pair{"[V f; T c]", "must have one number"},
        std::pair{"[V f; UL(y,[9,10]); TL(y,[2])]", "as many numbers"},
        std::pair{"[U(x, 8); Tpart(x, 20)]", "multiple of the 8"}})
    CHECK_THROWS_WITH_AS(read_scheme(text, kLayer), doctest::Contains(rule), Error);
}
