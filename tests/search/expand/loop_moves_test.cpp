// SPDX-License-Identifier: Apache-2.0
// This test checks that loops are moved to places where the model predicts less time.
#include "loop_moves.h"

#include <doctest/doctest.h>

#include <string>

#include "cost.h"
#include "tileplan/plan.h"

using namespace tileplan;

namespace {

/// Returns the candidates after loops of the schedule `text` were moved.
std::vector<Candidate> improved(const char* problem, const char* text) {
  const Computation computation = computation_of(parse_problem(problem));
  Machine machine = load_machine("xeon-gold-5220");
  machine.cores = 1;
  const Schedule schedule = parse_schedule(text);
  Candidates candidates;
  candidates.add({.schedule = schedule, .prediction = predict(computation, schedule, machine)});
  improve_loop_orders(candidates, {computation, machine, {}});
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
