// SPDX-License-Identifier: Apache-2.0
// This test checks the branches of a nest and the number of calls of their register tiles.
#include "branches.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "random_computation.h"

using namespace tileplan;

namespace {

constexpr int kLanes = 16;

Nest nest_of(const Computation& computation, const std::string& schedule) {
  return resolve(parse_schedule(schedule), computation, kLanes);
}

}  // namespace

TEST_CASE("branches: one for each part, only of lambdas before the limit") {
  const Computation conv = toy::conv({.k = 32, .c = 8, .h = 4, .w = 68});
  const Nest nest = nest_of(conv, "[R(h), L(w,[2*22,1*24]), T(2,w), R(c), U(w), U(2,k), V(k)]");
  const std::vector<Branch> branches = branches_of(nest);
  CHECK(branches.size() == 2);
  CHECK(branches[0].kernel_loops == 2);
  CHECK(branches[0].nest.loops[1].trips == 2);
  CHECK(register_tile(conv, branches[0].nest, kLanes) ==
        RegisterTile{.pixels = 11, .vectors = 2, .row = 11});
  CHECK(register_tile(conv, branches[1].nest, kLanes) ==
        RegisterTile{.pixels = 12, .vectors = 2, .row = 12});
  CHECK(branches_of(nest, 1) == std::vector<Branch>{{nest, 0}});
}

TEST_CASE("branches: the largest box inside a loop has the largest part") {
  const Computation conv = toy::conv({.k = 32, .c = 8, .h = 4, .w = 68});
  const Nest nest = nest_of(conv, "[R(h), L(w,[2*22,1*24]), T(2,w), R(c), U(w), U(2,k), V(k)]");
  CHECK(largest_box_inside(nest, 3) == toy::tile(conv, {{"k", 32}, {"c", 8}, {"w", 12}}));
  CHECK(largest_box_inside(nest, 1) == toy::tile(conv, {{"k", 32}, {"c", 8}, {"w", 68}}));
}

TEST_CASE("branches: blocks of two sizes around the rows that they size do the same work") {
  const Computation conv = toy::conv({.k = 32, .c = 8, .h = 62, .w = 4, .r = 3});
  const Nest nest = nest_of(
      conv, "[L(h,[4*14,1*6]), T(4,w), R(h), T(4,c), T(3,r), T(2,c), U(2,h), U(2,k), V(k)]");
  double multiply_adds = 0;
  for (const Branch& branch : branches_of(nest)) {
    const RegisterTile tile = register_tile(conv, branch.nest, kLanes);
    const auto [calls, steps, resumed] = calls_of(conv, branch);
    CHECK(branch.kernel_loops == 3);
    CHECK(steps == 8 * 3);
    multiply_adds += calls * steps * tile.pixels * tile.vectors * kLanes;
  }
  CHECK(multiply_adds == 32.0 * 8 * 62 * 4 * 3);
  // Each of the 4 blocks of 14 rows has 7 iterations of R(h), and the block of 6 rows has 3.
  CHECK(iterations_of(nest, 0, nest.loops.size(), 1U << index(conv.dim("h"))) == 31);
  CHECK(branches_of(nest)[1].nest.loops[2].trips == 3);
}

TEST_CASE("branches: calls and steps multiply to the multiply-adds of the branch") {
  const Computation conv = toy::conv({.k = 32, .c = 8, .h = 4, .w = 34, .r = 3});
  const Nest nest =
      nest_of(conv, "[R(h), T(2,c), L(w,[2*11,1*12]), T(4,c), U(3,r), U(w), U(2,k), V(k)]");
  double multiply_adds = 0;
  for (const Branch& branch : branches_of(nest)) {
    const RegisterTile tile = register_tile(conv, branch.nest, kLanes);
    const auto [calls, steps, resumed] = calls_of(conv, branch);
    CHECK(steps == 4 * 3);
    // The loop T(2,c) splits each reduction into two calls, so half of the calls resume a sum.
    CHECK(resumed == calls / 2);
    multiply_adds += calls * steps * tile.pixels * tile.vectors * kLanes;
  }
  CHECK(multiply_adds == 32.0 * 8 * 4 * 34 * 3);
}

TEST_CASE("branches: a vectorised batch dim counts vectors, its pixels stay pixels") {
  const Computation depthwise = toy::conv({.g = 64, .h = 14, .w = 14, .r = 3, .s = 3});
  const Nest nest = nest_of(depthwise, "[T(2,g), R(h), T(2,w), R(r), R(s), U(7,w), U(2,g), V(g)]");
  const Branch branch = branches_of(nest).front();
  CHECK(register_tile(depthwise, branch.nest, kLanes) ==
        RegisterTile{.pixels = 7, .vectors = 2, .vector_input = true, .row = 7});
  CHECK(calls_of(depthwise, branch).steps == 9);
  CHECK(calls_of(depthwise, branch).calls == 2 * 14 * 2);
}
