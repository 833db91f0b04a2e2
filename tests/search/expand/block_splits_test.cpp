// SPDX-License-Identifier: Apache-2.0
// This test checks that loops whose iterations end inside blocks of a layout are split.
#include "block_splits.h"

#include <doctest/doctest.h>

#include <string>

#include "tileplan/problem.h"

using namespace tileplan;

namespace {

/// Returns the schedule of split_at_blocks() for vectors of 8 lanes as text, or "" when it splits
/// no loop.
std::string split(const std::string& problem, const std::string& loops) {
  const Computation computation = computation_of(parse_problem(problem));
  const Schedule schedule = parse_schedule(loops);
  const auto found = split_at_blocks(computation, schedule, resolve(schedule, computation, 8));
  return found ? to_string(*found) : "";
}

}  // namespace

TEST_CASE("block splits: as many groups as fill a block stay together") {
  // Channel blocks hold 8 groups in the input and 4 groups in the output.
  const std::string layer = "g32mb1ic32ih4oc64oh4kh1";
  CHECK(split(layer, "[T(32,g), T(4,h), U(4,w), V(k)] in=nChw8c out=nChw8c") ==
        "[T(8,g), T(4,g), T(4,h), U(4,w), V(k)] in=nChw8c out=nChw8c");
  CHECK(split(layer, "[T(8,g), T(4,g), T(4,h), U(4,w), V(k)] in=nChw8c out=nChw8c") ==
        "[T(4,g), T(2,g), T(4,g), T(4,h), U(4,w), V(k)] in=nChw8c out=nChw8c");
  CHECK(
      split(layer, "[T(4,g), T(2,g), T(4,g), T(4,h), U(4,w), V(k)] in=nChw8c out=nChw8c").empty());
  CHECK(split(layer, "[P(32,g), T(4,h), U(4,w), V(k)] in=nhwc out=nChw8c") ==
        "[P(8,g), P(4,g), T(4,h), U(4,w), V(k)] in=nhwc out=nChw8c");
}

TEST_CASE("block splits: the input is packed in the loop where it was") {
  const std::string layer = "g32mb1ic32ih4oc64oh4kh1";
  CHECK(split(layer, "[T(32,g), T(4,h), U(4,w), V(k)] in=nChw8c out=nChw8c pack=in@0") ==
        "[T(8,g), T(4,g), T(4,h), U(4,w), V(k)] in=nChw8c out=nChw8c pack=in@1");
  CHECK(split(layer, "[T(4,h), T(32,g), U(4,w), V(k)] in=nChw8c out=nChw8c pack=in@0") ==
        "[T(4,h), T(8,g), T(4,g), U(4,w), V(k)] in=nChw8c out=nChw8c pack=in@0");
}

TEST_CASE("block splits: trips that fill no whole blocks stay, and sums of one kernel call") {
  CHECK(
      split("g6mb1ic6ih4oc12oh4kh1", "[T(6,g), T(4,h), U(4,w), V(k)] in=nhwc out=nChw8c").empty());
  CHECK(split("mb1ic32ih4oc8oh4kh1", "[T(4,h), T(32,c), U(4,w), V(k)] in=nChw8c out=nhwc").empty());
}
