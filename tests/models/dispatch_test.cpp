// SPDX-License-Identifier: Apache-2.0
// This test compares the number of calls of assembled code with numbers counted by hand.
#include "dispatch.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "merge_dims.h"

namespace tileplan {
namespace {

std::vector<double> dispatches(const std::string& problem, const std::string& text) {
  const Schedule schedule = parse_schedule(text);
  const Computation computation = computation_of(parse_problem(problem), schedule);
  const Nest nest = resolve(schedule, computation, 16);
  std::vector<double> counts;
  for (const Branch& branch : branches_of(nest))
    counts.push_back(dispatches_of(computation, nest, branch));
  return counts;
}

using Counts = std::vector<double>;

}  // namespace

TEST_CASE("dispatch: one call runs the two innermost loops") {
  const std::string layer = "mb1ic64ih28oc64oh28kh1";
  CHECK(dispatches(layer, "[T(56,hw), T(2,k), T(64,c), U(14,hw), U(2,k), V(k)]") == Counts{1});
  CHECK(dispatches(layer, "[T(14,hw), T(4,hw), T(2,k), T(64,c), U(14,hw), U(2,k), V(k)]") ==
        Counts{14});
}

TEST_CASE("dispatch: tiles at the padding are calls of their own") {
  const std::string layer = "mb1ic64ih28oc64oh28kh3ph1";
  CHECK(dispatches(layer, "[T(28,h), T(7,w), T(3,r), T(3,s), T(64,c), U(4,w), U(4,k), V(k)]") ==
        Counts{28 * 3});
  CHECK(dispatches(layer, "[T(2,k), T(28,h), T(3,r), T(3,s), T(64,c), U(28,w), U(2,k), V(k)]") ==
        Counts{2 * 3});
  CHECK(dispatches(layer, "[T(28,h), T(4,k), T(3,r), T(3,s), T(64,c), U(28,w), V(k)]") ==
        Counts{3});
}

TEST_CASE("dispatch: so are the first and the last part of a sum") {
  CHECK(dispatches("mb1ic64ih28oc64oh28kh1", "[T(4,c), T(28,h), T(4,k), T(16,c), U(28,w), V(k)]") ==
        Counts{4});
  CHECK(dispatches("mb1ic64ih28oc64oh28kh1", "[T(28,h), T(4,c), T(4,k), T(16,c), U(28,w), V(k)]") ==
        Counts{28 * 3});
}

TEST_CASE("dispatch: so is a last vector that is not full") {
  CHECK(dispatches("m527n87k1", "[T(527,i), T(3,j), U(2,j), V(j)]") == Counts{527 * 2});
  CHECK(dispatches("m527n87k1", "[T(31,i), T(6,j), U(17,i), V(j)]") == Counts{31 * 2});
  CHECK(dispatches("m527n87k1", "[T(6,j), T(31,i), U(17,i), V(j)]") == Counts{2});
  CHECK(dispatches("m527n96k1", "[T(527,i), T(3,j), U(2,j), V(j)]") == Counts{1});
}

TEST_CASE("dispatch: a loop around a lambda is outside") {
  CHECK(dispatches("mb1ic128ih34oc64oh34kh1",
                   "[T(17,hw), L(hw,[1*12,4*14]), T(2,k), T(128,c), U(hw), U(2,k), V(k)]") ==
        Counts{17, 17});
  CHECK(dispatches("mb1ic128ih34oc64oh34kh1",
                   "[T(17,hw), L(hw,[1*12,4*14]), T(128,c), U(hw), U(4,k), V(k)]") ==
        Counts{17, 17});
  // A reduction loop around the lambda is no part of a call, even for the part of one block.
  CHECK(dispatches("m25n16k256", "[T(4,k), L(i,[2*8,1*9]), T(64,k), U(i), V(j)]") == Counts{4, 4});
}

TEST_CASE("dispatch: so is a loop around a parallel one") {
  const std::string layer = "mb1ic64ih28oc64oh28kh1", inner = "T(64,c), U(14,hw), V(k)]";
  CHECK(dispatches(layer, "[P(56,hw), T(4,k), " + inner) == Counts{1});
  CHECK(dispatches(layer, "[P(56,hw), P(4,k), " + inner) == Counts{56});
}

}  // namespace tileplan
