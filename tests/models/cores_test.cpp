// SPDX-License-Identifier: Apache-2.0
// These tests check one core's share of a parallel nest, and the traffic of a shared cache.
#include "cores.h"

#include <doctest/doctest.h>

#include <string>

#include "random_computation.h"

using namespace tileplan;

namespace {

Cores dealt(const Computation& computation, const std::string& text, int cores) {
  return cores_of(computation, resolve(parse_schedule(text), computation, 16), cores);
}

}  // namespace

TEST_CASE("cores: 6 rows on 2 cores are 3 of each, side by side, weights once for both") {
  const Computation conv = toy::conv({.k = 16, .c = 4, .h = 6, .w = 2});
  const Cores two = dealt(conv, "[P(6,h), T(4,c), U(2,w), V(k)]", 2);
  CHECK(two.used == 2);
  CHECK(two.busiest_share == 0.5);
  CHECK(two.own.nest.loops[0].trips == 3);
  CHECK(two.own.copies[Operand::weights] == 2);
  CHECK(two.joint.nest.loops[0].trips == 3);
  CHECK(two.joint.nest.base[conv.dim("h")] == 2);
  CHECK(two.joint.copies[Operand::weights] == 1);
  CHECK(two.joint.copies[Operand::output] == 1);
}

TEST_CASE("cores: the busiest of 4 has 2 of 5 rows; the others' lack is no traffic") {
  const Computation conv = toy::conv({.k = 16, .c = 4, .h = 5, .w = 2});
  const Cores four = dealt(conv, "[P(5,h), T(4,c), U(2,w), V(k)]", 4);
  CHECK(four.busiest_share == 0.4);
  CHECK(four.own.copies[Operand::output] == 2.5);
  // Four cores execute 5 tasks in 2 steps, so the joint model assumes 3 cores in each step.
  CHECK(four.joint.copies[Operand::output] == 5.0 / 6);
}

TEST_CASE("cores: caches that cores share see the joint view; volumes are those of all cores") {
  const Computation conv = toy::conv({.k = 16, .c = 4, .h = 6, .w = 2});
  const Cores two = dealt(conv, "[P(6,h), T(4,c), U(2,w), V(k)]", 2);
  CHECK(&view_of(two, {.shared_by_cores = 1}) == &two.own);
  CHECK(&view_of(two, {.shared_by_cores = 2}) == &two.joint);
  // One core loads half of the input and of the output, and all weights.
  const PerTensor<std::int64_t> one{{24, 64, 96}};
  CHECK(volumes_of_all(conv, two.own, one, extents_of(conv)).values ==
        std::array<double, 3>{48, 128, 192});
  // The shared cache loads each element at least once.
  CHECK(volumes_of_all(conv, two.joint, {{1, 1, 1}}, extents_of(conv)).values ==
        std::array<double, 3>{48, 64, 192});
}

TEST_CASE(
    "cores: collapsed loops are dealt out from the outermost, one core leaves the nest as it is") {
  const Computation conv = toy::conv({.k = 32, .c = 4, .h = 6, .w = 2});
  const std::string text = "[P(2,k), T(4,c), P(6,h), U(2,w), V(k)]";
  const Cores four = dealt(conv, text, 4);
  CHECK(four.own.nest.loops[0].trips == 1);
  CHECK(four.own.nest.loops[2].trips == 3);
  const Cores one = dealt(conv, text, 1);
  CHECK(one.busiest_share == 1);
  CHECK(one.own.nest == one.joint.nest);
}

TEST_CASE("cores: the blocks of a parallel lambda are dealt out, what they cover is the share") {
  const Computation conv = toy::conv({.k = 16, .c = 4, .h = 1, .w = 25});
  const Cores two = dealt(conv, "[P(w,[2*8,1*9]), T(4,c), U(w), V(k)]", 2);
  CHECK(two.busiest_share == 17.0 / 25);  // The second core has 8 + 9 of the 25 columns.
  CHECK(two.own.nest.loops[0].parts == std::vector<Part>{{1, 8}, {1, 9}});
  CHECK(two.own.copies[Operand::weights] == 25.0 / 17);
  CHECK(two.joint.nest.loops[0].parts == std::vector<Part>{{1, 16}, {1, 18}});
  CHECK(two.joint.copies[Operand::weights] == 1);
  CHECK(two.joint.copies[Operand::output] == 25.0 / 34);
}

TEST_CASE("cores: shares of loops around and inside a parallel lambda count its blocks") {
  const Computation conv = toy::conv({.k = 16, .c = 4, .h = 3, .w = 5});
  // The tasks have 2, 3, 2, 3, 2 and 3 columns. Each core executes three adjacent tasks.
  CHECK(dealt(conv, "[P(3,h), P(w,[1*2,1*3]), T(4,c), U(w), V(k)]", 2).busiest_share == 8.0 / 15);
  // The tasks have 2, 2, 2, 3, 3 and 3 columns, and the second core executes the last three.
  CHECK(dealt(conv, "[P(w,[1*2,1*3]), P(3,h), T(4,c), U(w), V(k)]", 2).busiest_share == 9.0 / 15);
}

TEST_CASE("cores: as many equal tasks cost the same, however the loops are written") {
  const Computation conv = toy::conv({.k = 16, .c = 4, .h = 60, .w = 2});
  for (const char* text : {"[P(6,h), T(4,c), U(10,h), U(2,w), V(k)]",
                           "[P(3,h), P(2,h), T(4,c), U(10,h), U(2,w), V(k)]",
                           "[P(2,h), P(3,h), T(4,c), U(10,h), U(2,w), V(k)]",
                           "[P(h,[6*10]), T(4,c), R(h), U(10,h), U(2,w), V(k)]"}) {
    const Cores four = dealt(conv, text, 4);
    CAPTURE(text);
    CHECK(four.busiest_share == 2.0 / 6);
    CHECK(four.own.copies[Operand::output] == 3);
  }
}

TEST_CASE("cores: the largest blocks of a parallel lambda are a core's own, wherever they stand") {
  const Computation conv = toy::conv({.k = 16, .c = 4, .h = 60, .w = 2});
  for (const char* text : {"[P(h,[1*10,1*50]), T(4,c), R(h), U(10,h), U(2,w), V(k)]",
                           "[P(h,[1*50,1*10]), T(4,c), R(h), U(10,h), U(2,w), V(k)]"}) {
    const Cores two = dealt(conv, text, 2);
    CHECK(two.busiest_share == 50.0 / 60);
    CHECK(two.own.nest.loops[0].parts == std::vector<Part>{{1, 50}});
  }
  const Cores inside = dealt(conv, "[P(h,[2*5,2*15,4*5]), T(4,c), U(h), U(2,w), V(k)]", 3);
  CHECK(inside.own.nest.loops[0].parts == std::vector<Part>{{2, 15}, {1, 5}});
}

TEST_CASE("cores: parts of a lambda inside a parallel loop of its dim widen with it") {
  const Computation conv = toy::conv({.k = 16, .c = 4, .h = 1, .w = 34});
  for (const char* text : {"[P(2,w), L(w,[1*8,1*9]), T(4,c), U(w), V(k)]",
                           "[P(2,w), P(w,[1*8,1*9]), T(4,c), U(w), V(k)]"})
    CHECK(dealt(conv, text, 2).joint.nest.loops[1].parts == std::vector<Part>{{1, 16}, {1, 18}});
}
