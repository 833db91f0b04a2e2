// SPDX-License-Identifier: Apache-2.0
// This test checks that lowering refuses nests which no instruction set can execute.
#include "nest_rules.h"

#include <doctest/doctest.h>

#include "computation.h"
#include "merge_dims.h"
#include "tileplan/error.h"
#include "tileplan/schedule.h"

using namespace tileplan;

namespace {

/// Passes the nest of `schedule`, with vectors of eight elements, to check_nest().
void check_schedule(const char* problem, const char* schedule, bool packed = false) {
  const Computation computation = computation_of(parse_problem(problem));
  check_nest(computation, resolve(parse_schedule(schedule), computation, 8), packed);
}

}  // namespace

TEST_CASE("nest rules: sums have no lists of blocks, register tiles only rows and vectors") {
  const char* layer = "g2mb1ic10ih4oc16oh4kh1ph0";
  CHECK_THROWS_WITH_AS(
      check_schedule(layer, "[T(2,g), T(4,h), L(c,[1*2,1*3]), U(4,w), U(c), V(k)]"),
      "schedule: L of c, which is summed over; kernels have L of dims of the output", Error);
  CHECK_THROWS_WITH_AS(
      check_schedule(layer, "[T(4,h), T(5,c), U(2,g), U(4,w), V(k)]"),
      "schedule: g is unrolled 2 times; only rows of the output and the vectorised dim can be",
      Error);
  CHECK_NOTHROW(check_schedule(layer, "[T(2,g), T(4,h), T(5,c), U(4,w), V(k)]"));
}

TEST_CASE("nest rules: groups unrolled in one part of a list is found") {
  CHECK_THROWS_WITH_AS(
      check_schedule("g3mb1ic15ih4oc24oh4kh1ph0",
                     "[L(g,[1*1,1*2]), T(4,h), T(5,c), U(g), U(4,w), V(k)]"),
      "schedule: g is unrolled 2 times; only rows of the output and the vectorised dim can be",
      Error);
}

TEST_CASE("nest rules: vectors of pixels read padding only from packed boxes") {
  const char* layer = "mb1ic8ih8oc8oh8kh3ph1";
  const char* schedule = "[T(8,k), T(8,h), T(3,r), T(3,s), T(8,c), V(w)]";
  CHECK_THROWS_WITH_AS(
      check_schedule(layer, schedule),
      "schedule: V(w) reads padding along w; the input must be packed (pack=in@POS)", Error);
  CHECK_NOTHROW(check_schedule(layer, schedule, true));
}

TEST_CASE("nest rules: vectors need an operand to load them from") {
  // The only window covers the whole input, so its rows and columns can be one loop, rs.
  const Problem problem = parse_problem("mb1ic6ih5oc5oh1kh5");
  const Schedule schedule = parse_schedule("[T(6,c), T(25,rs), U(5,k), V(w)] in=nchw out=nchw");
  const Computation computation = computation_of(problem, schedule);
  CHECK_THROWS_WITH_AS(check_nest(computation, resolve(schedule, computation, 8), false),
                       "schedule: V(w), but neither the input nor the weights depend on w", Error);
}
