// SPDX-License-Identifier: Apache-2.0
// This test checks when each link loads data, and the time of traffic that computation partly
// hides.
#include "partial_overlap.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "branches.h"
#include "close_to.h"
#include "cost.h"
#include "nest.h"
#include "tileplan/problem.h"

using namespace tileplan;

namespace {

constexpr int kLanes = 16;

struct Case {
  Computation computation;
  Nest nest;

  explicit Case(const std::string& loops)
      : computation(computation_of(parse_problem("mb1ic512ih14oc512oh7kh3sh2ph1"))),
        nest(resolve(parse_schedule(loops), computation, kLanes)) {}

  double share(Operand operand, std::size_t cut) const {
    return streaming_share(computation, nest,
                           computation.tensors[static_cast<std::size_t>(operand)],
                           box_inside(nest, cut));
  }
};

}  // namespace

TEST_CASE("weights that rows of outputs reuse stream while the first row is computed") {
  const Case test("[T(16,k), T(7,h), T(3,r), T(3,s), T(512,c), U(7,w), U(2,k), V(k)]");
  CHECK(test.share(Operand::weights, 1) == close_to(1.0 / 7));
  // The cache holds the data of one row, so the input is loaded in each iteration of h.
  CHECK(test.share(Operand::input, 2) == 1);
  // A cache that holds all data loads the input during the first of 16 blocks of channels.
  CHECK(test.share(Operand::input, 0) == close_to(1.0 / 16));
  CHECK(test.share(Operand::output, 0) == 1);
}

TEST_CASE("the blocks of a lambda reuse like the trips of a loop") {
  const Case test(
      "[T(16,k), L(h,[1*1,3*2]), T(512,c), T(3,r), T(3,s), U(h), U(7,w), U(2,k), V(k)]");
  CHECK(test.share(Operand::weights, 1) == close_to(1.0 / 4));
}

TEST_CASE("blocks of two sizes reuse as often as the rows in them, on average") {
  const Case test(
      "[L(h,[2*3,1*1]), T(16,k), R(h), T(512,c), T(3,r), T(3,s), U(7,w), U(2,k), V(k)]");
  // Each of 16 blocks of channels is used for 3, 3 and 1 rows.
  CHECK(test.share(Operand::weights, 3) == close_to(3.0 / 7));
  const std::size_t all = test.nest.loops.size();
  CHECK(loops_outside(test.computation, test.nest, test.nest.base) == all);
  const Nest blocks_of_three = with_part(test.nest, 0, test.nest.loops[0].parts[0]);
  CHECK(loops_outside(test.computation, test.nest, box_inside(blocks_of_three, 2)) == 2);
}

TEST_CASE("weights that stream in every call stream all the time") {
  const Case test("[T(7,h), T(16,k), T(3,r), T(3,s), T(512,c), U(7,w), U(2,k), V(k)]");
  CHECK(test.share(Operand::weights, 2) == 1);
}

TEST_CASE("steady streams of one link add up, bursts wait beside their part of the computation") {
  // With an exponent of this size, the overlap formula nearly gives the maximum.
  constexpr double kInfinite = 1e3;
  CHECK(partial_overlap_seconds({}, 5, 4) == 0);
  CHECK(partial_overlap_seconds({{.seconds = 1}, {.seconds = 2}}, 5, 4) == close_to(3));
  // During the 5 s of traffic, 2 of 8 s of computation pass, so the sum is 6 + 5.
  CHECK(partial_overlap_seconds({{.seconds = 5, .share = 0.25}}, 8, kInfinite) == close_to(11));
  // With exponent 2, the traffic ends at 6 + sqrt(4 + 25). The square of the computation is 64.
  CHECK(partial_overlap_seconds({{.seconds = 5, .share = 0.25}}, 8, 2) ==
        close_to(std::sqrt(std::pow(6 + std::sqrt(29.0), 2) - 64)));
  // The execution ends at 6 + (2^4 + 0.1^4)^(1/4), only 3 us after the 8 s of computation, but the
  // term of eq. (T) that prolongs it by so little is 0.28.
  CHECK(partial_overlap_seconds({{.seconds = 0.1, .share = 0.25}}, 8, 4) < 0.5);
  CHECK(partial_overlap_seconds({{.seconds = 2, .share = 0.5}}, 0, 3) == close_to(2));
}

TEST_CASE("a link brings one burst after the other, whatever the share of each") {
  CHECK(partial_overlap_seconds({{.seconds = 2, .share = 0.9}, {.seconds = 3, .share = 0.9}}, 1,
                                16) >= 5);
  CHECK(partial_overlap_seconds({{.seconds = 2, .share = 0.5}, {.seconds = 3, .share = 0.5}}, 0,
                                3) == close_to(5));
}

TEST_CASE("the same bytes cost more the shorter the time in which they come") {
  double before = 0;
  for (const double share : {1.0, 0.5, 0.25, 0.125}) {
    const double seconds = partial_overlap_seconds({{.seconds = 4, .share = share}}, 8, 3);
    CHECK(seconds > before);
    before = seconds;
  }
}

TEST_CASE("traffic overlaps with the computation of its own part") {
  const TensorStream all{.seconds = 10}, first{.seconds = 10, .of_parts = {1, 0}};
  const std::vector<double> halves{0.5, 0.5};
  // One half takes sqrt(10^2 + 10^2) instead of 10 s, so that both take 10 + sqrt(200).
  CHECK(overlap_times(20, {partial_overlap_seconds({first}, halves, 20, 2)}, 2) ==
        close_to(10 + std::sqrt(200.0)));
  CHECK(partial_overlap_seconds({all}, halves, 20, 2) == close_to(10));
  CHECK(partial_overlap_seconds({first}, {}, 20, 2) == close_to(10));
  CHECK(partial_overlap_seconds({first}, halves, 0, 2) == close_to(10));
}

TEST_CASE("the term of parts solves its equation, however small the traffic is") {
  for (const double exponent : {1.0, 2.5, 16.0})
    for (const double seconds : {1e-3, 1.0, 1e6})
      for (const double share : {0.25, 1.0}) {
        const TensorStream parts{.seconds = seconds, .share = share, .of_parts = {0.1, 0.9}};
        const auto part = [&](double compute, double of_traffic) {
          const TensorStream own{.seconds = of_traffic * seconds, .share = share};
          return overlap_times(compute, {partial_overlap_seconds({own}, compute, exponent)},
                               exponent);
        };
        const double term = partial_overlap_seconds({parts}, {0.75, 0.25}, 8, exponent);
        CHECK(overlap_times(8, {term}, exponent) == close_to(part(6, 0.1) + part(2, 0.9)));
      }
}
