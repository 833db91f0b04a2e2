// SPDX-License-Identifier: Apache-2.0
// A schedule makes the lists of runs for the places where its calls begin, and no others.
#include "reduction_runs.h"

#include <doctest/doctest.h>

#include "loop_tree.h"
#include "tileplan/schedule.h"

using namespace tileplan;

namespace {

LoopTree tree_of(const std::string& problem, const std::string& text) {
  const Computation computation = computation_of(parse_problem(problem));
  const Schedule schedule = parse_schedule(text);
  return build_tree(
      computation, resolve(schedule, computation, lanes_of(Isa::avx512)),
      {.isa = Isa::avx512,
       .lowering = {.input = layout_of(computation, Operand::input, schedule.in),
                    .output = layout_of(computation, Operand::output, schedule.out)}});
}

}  // namespace

TEST_CASE("3 rows of padding patterns by 2 of columns: rows one by one, columns by 4 of 8") {
  // Rows begin at -1, 0..5, 6: top, middle, bottom. Columns at -1 and 3: left and right.
  const LoopTree tree = tree_of("mb1ic16ih8oc16oh8kh3ph1",
                                "[T(8,h), T(2,w), T(3,r), T(3,s), T(16,c), U(4,w), V(k)] "
                                "in=nhwc out=nhwc");
  REQUIRE(tree.calls.size() == 1);
  CHECK(tree.calls.front().lists.size() == 3 * 2);
}

TEST_CASE("under a lambda each register tile has lists for its own places alone") {
  // 7 columns as 4 at -1 and 3 at 3: each tile has one place, whatever lies between.
  const LoopTree tree = tree_of("mb1ic16ih7oc16oh7kh3ph1",
                                "[T(7,h), L(w,[1*4,1*3]), T(3,r), T(3,s), T(16,c), U(w), V(k)] "
                                "in=nhwc out=nhwc");
  REQUIRE(tree.calls.size() == 2);
  for (const MicrokernelCall& call : tree.calls) CHECK(call.lists.size() == 3);
}

TEST_CASE("reduction loops outside the calls move their places, strides leave some out") {
  // Row starts 2h + r - 1 for h < 4 and r < 3: -1 alone is outside, 8 rows of input end at 7.
  const LoopTree tree = tree_of("mb1ic16ih8oc16oh4kh3sh2ph1",
                                "[T(3,r), T(4,h), T(3,s), T(16,c), U(4,w), V(k)] "
                                "in=nhwc out=nhwc");
  REQUIRE(tree.calls.size() == 1);
  CHECK(tree.calls.front().lists.size() == 2);
}

TEST_CASE("a 31 x 31 filter with 14 columns per call has 31 x 4 lists") {
  const LoopTree tree = tree_of("mb1ic64ih56oc64oh56kh31ph15",
                                "[T(4,k), T(4,c), T(56,h), T(4,w), T(31,r), T(31,s), T(16,c), "
                                "U(14,w), V(k)] in=nChw16c out=nChw16c");
  REQUIRE(tree.calls.size() == 1);
  CHECK(tree.calls.front().lists.size() == 31 * 4);
}
