// SPDX-License-Identifier: Apache-2.0
// This test checks that plans contain nests that the exact search does not produce.
#include "untiled_nests.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cost.h"
#include "tileplan/plan.h"

using namespace tileplan;

namespace {

std::vector<std::size_t> loops_over(const Schedule& schedule, const std::string& dim) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < schedule.loops.size(); ++i)
    if (schedule.loops[i].dim == dim && schedule.loops[i].kind == Kind::tile) places.push_back(i);
  return places;
}

/// Returns true when there are two loops over input channels, one outside and one inside the only
/// loop over rows.
bool splits_sums(const Candidate& candidate) {
  const std::vector<std::size_t> sums = loops_over(candidate.schedule, "c");
  const std::vector<std::size_t> rows = loops_over(candidate.schedule, "h");
  return sums.size() == 2 && rows.size() == 1 && sums.front() < rows.front() &&
         rows.front() < sums.back();
}

double fastest_of(const Plan& plan, bool split) {
  double fastest = HUGE_VAL;
  for (const Candidate& each : plan.candidates)
    if (splits_sums(each) == split) fastest = std::min(fastest, each.prediction.seconds);
  return fastest;
}

}  // namespace

// The weights of 8 channels (1024 x 3 x 3 taps) take 288 KiB, more than the second-level cache.
// Without a split, each row of 7 x 7 pixels would load these weights again from the next level.
TEST_CASE("plan: sums are split where the weights of a register tile fill the second-level cache") {
  const Plan found =
      plan(parse_problem("mobilenet-dense-9"), load_machine("thunderx2"), {.top = 40});
  CHECK(fastest_of(found, true) < 0.97 * fastest_of(found, false));
}

// With groups outside the list of rows, each block of 23 or 22 rows of each group is dispatched
// anew.
TEST_CASE("plan: groups move inside a list of blocks, which saves dispatches") {
  const Machine machine = load_machine("thunderx2");
  const Problem problem = parse_problem("g5mb1ic5ih112iw4oc5oh111ow4kh2kw1ph0");
  const Computation computation = computation_of(problem);
  const Schedule outside =
      parse_schedule("[T(5,g), L(h,[1*23,4*22]), T(2,r), U(h), V(w)] in=nchw out=nchw");
  const Schedule inside =
      parse_schedule("[L(h,[1*23,4*22]), T(5,g), T(2,r), U(h), V(w)] in=nchw out=nchw");
  const double fast = predict(computation, inside, machine).seconds;
  CHECK(fast < 0.8 * predict(computation, outside, machine).seconds);
  CHECK(plan(problem, machine).candidates.front().prediction.seconds <= fast);
}
