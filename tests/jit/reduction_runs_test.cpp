// SPDX-License-Identifier: Apache-2.0
// This test counts lists of reduction runs, which tell the pixels of a register tile that a call
// computes in each reduction step. Pixels that read padding are skipped, so calls in which
// different pixels read padding need different lists.
#include "reduction_runs.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "loop_tree.h"
#include "tileplan/schedule.h"

using namespace tileplan;

namespace {

/// Holds, for each register tile, the number of lists of reduction runs.
using Lists = std::vector<std::size_t>;

Lists lists_of(const std::string& problem, const std::string& text) {
  const Computation computation = computation_of(parse_problem(problem));
  const Schedule schedule = parse_schedule(text);
  const LoopTree tree =
      build_tree(computation, resolve(schedule, computation, lanes_of(Isa::avx512)),
                 {.isa = Isa::avx512,
                  .lowering = {.input = layout_of(computation, Operand::input, schedule.in),
                               .output = layout_of(computation, Operand::output, schedule.out)}});
  Lists lists;
  for (const MicrokernelCall& call : tree.calls) lists.push_back(call.lists.size());
  return lists;
}

}  // namespace

TEST_CASE("3 rows of padding patterns by 2 of columns: rows one by one, columns by 4 of 8") {
  // Calls that begin at input row -1, 0..5 or 6 read padding at the top, nowhere or at the bottom.
  // Calls begin at column -1 or 3.
  CHECK(lists_of("mb1ic16ih8oc16oh8kh3ph1",
                 "[T(8,h), T(2,w), T(3,r), T(3,s), T(16,c), U(4,w), V(k)] in=nhwc out=nhwc") ==
        Lists{3 * 2});
}

TEST_CASE("under a lambda each register tile has lists for its own places alone") {
  // Tiles of 4 columns begin at input column -1 only, and tiles of 3 columns at column 3 only.
  CHECK(lists_of("mb1ic16ih7oc16oh7kh3ph1",
                 "[T(7,h), L(w,[1*4,1*3]), T(3,r), T(3,s), T(16,c), U(w), V(k)] in=nhwc "
                 "out=nhwc") == Lists{3, 3});
}

TEST_CASE("reduction loops outside the calls move their places, strides leave some out") {
  // Calls read input row 2h + r - 1 for h < 4 and r < 3. Only row -1 is outside the 8 input rows.
  CHECK(lists_of("mb1ic16ih8oc16oh4kh3sh2ph1",
                 "[T(3,r), T(4,h), T(3,s), T(16,c), U(4,w), V(k)] in=nhwc out=nhwc") == Lists{2});
}

TEST_CASE("a 31 x 31 filter with 14 columns per call has 31 x 4 lists") {
  CHECK(lists_of("mb1ic64ih56oc64oh56kh31ph15",
                 "[T(4,k), T(4,c), T(56,h), T(4,w), T(31,r), T(31,s), T(16,c), U(14,w), V(k)] "
                 "in=nChw16c out=nChw16c") == Lists{31 * 4});
}
