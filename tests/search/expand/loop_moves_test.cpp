// SPDX-License-Identifier: Apache-2.0
// This test checks that loops are moved to places where the model predicts less time, and that the
// input gets a layout with which it predicts less time.
#include "loop_moves.h"

#include <doctest/doctest.h>

#include <string>

#include "cost.h"
#include "tileplan/plan.h"

using namespace tileplan;

namespace {

/// Returns the candidate with the schedule `text`, and then those that improve_loop_orders() adds.
std::vector<Candidate> improved(const char* problem, const char* text, const Options& options = {},
                                const char* name = "xeon-gold-5220") {
  const Computation computation = computation_of(parse_problem(problem));
  Machine machine = load_machine(name);
  machine.cores = 1;
  const Schedule schedule = parse_schedule(text);
  Candidates candidates;
  candidates.add({.schedule = schedule, .prediction = predict(computation, schedule, machine)});
  improve_loop_orders(candidates, {computation, machine, options});
  return candidates.scored;
}

}  // namespace

TEST_CASE("loop moves: groups move inside rows where that saves dispatches") {
  const std::vector<Candidate> found =
      improved("g3mb1ic3ih109oc3oh107kh3ph0",
               "[T(3,g), T(107,h), T(7,w), T(3,s), T(3,r), V(w)] in=nchw out=nchw");
  REQUIRE(found.size() == 2);
  CHECK(found[1].prediction.seconds < found[0].prediction.seconds);
  CHECK(found[1].schedule.loops.size() == found[0].schedule.loops.size());
}

TEST_CASE("loop moves: a schedule that no move improves is not repeated") {
  const std::vector<Candidate> found = improved("m16n16k64", "[T(2,i), T(64,k), U(8,i), V(j)]");
  CHECK(found.size() == 1);
}

TEST_CASE("loop moves: the input gets another layout where lines conflict, if all are allowed") {
  const char* schedule =
      "[T(128,k), T(2,c), L(h,[1*1,3*2]), T(4,c), T(3,r), T(3,s), T(128,c), U(h), U(7,w), V(k)] "
      "in=nChw8c out=nChw8c ahead=1";
  const std::vector<Candidate> found = improved("mobilenet-dense-9", schedule, {}, "epyc-7282");
  CHECK(found.back().schedule.in == Layout::nchw);
  CHECK(found.back().schedule.out == Layout::nChw8c);
  CHECK(found.back().prediction.seconds < 0.95 * found.front().prediction.seconds);
  const Options blocked{.layout = LayoutChoice::blocked};
  for (const Candidate& each : improved("mobilenet-dense-9", schedule, blocked, "epyc-7282"))
    CHECK(each.schedule.in == Layout::nChw8c);
}
