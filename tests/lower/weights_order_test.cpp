// SPDX-License-Identifier: Apache-2.0
// This test checks where the weights of each microkernel call lie in packed weights.
#include "weights_order.h"

#include <doctest/doctest.h>

#include "computation.h"
#include "merge_dims.h"
#include "tileplan/schedule.h"

using namespace tileplan;

namespace {

/// Describes packed weights of four groups, each with 4 input channels and 16 output channels, for
/// vectors of eight.
struct Packed {
  explicit Packed(const char* schedule)
      : computation(computation_of(parse_problem("g4mb1ic16ih5oc64oh5kh1"))),
        order(weights_order(computation, resolve(parse_schedule(schedule), computation, 8))) {}

  std::int64_t distance(const char* dim, std::int64_t iterations) const {
    return order.distance(computation.dim(dim), iterations);
  }

  Computation computation;
  WeightsOrder order;
};

}  // namespace

TEST_CASE("weights order: with channels inside, each group's channels are adjacent") {
  const Packed packed("[T(4,g), T(2,k), T(5,h), T(4,c), U(5,w), V(k)]");
  CHECK(packed.order.groups() == 1);
  CHECK(packed.distance("k", 8) == 8 * 4);
  CHECK(packed.distance("g", 1) == 16 * 4);
  CHECK(packed.order.elements() == 4 * 16 * 4);
}

TEST_CASE("weights order: with channels outside, a block of each group follows the other") {
  const Packed packed("[T(2,k), T(4,g), T(5,h), T(4,c), U(5,w), V(k)]");
  CHECK(packed.order.groups() == 2);
  CHECK(packed.order.group == 8);
  CHECK(packed.distance("g", 1) == 8 * 4);
  CHECK(packed.distance("k", 8) == 4 * 8 * 4);
  CHECK(packed.order.elements() == 4 * 16 * 4);
  const Packed other("[T(4,g), T(2,k), T(5,h), T(4,c), U(5,w), V(k)]");
  CHECK(packed.order.fingerprint() != other.order.fingerprint());
}

TEST_CASE("weights order: a loop over channels inside and one outside") {
  const Computation computation = computation_of(parse_problem("g4mb1ic16ih5oc128oh5kh1"));
  const WeightsOrder order = weights_order(
      computation, resolve(parse_schedule("[T(2,k), T(4,g), T(2,k), T(5,h), T(4,c), U(5,w), V(k)]"),
                           computation, 8));
  CHECK(order.groups() == 2);
  CHECK(order.distance(computation.dim("k"), 16) == 4 * 16 * 4);
  CHECK(order.distance(computation.dim("g"), 1) == 16 * 4);
  CHECK(order.distance(computation.dim("k"), 8) == 8 * 4);
}

TEST_CASE("weights order: blocks of different sizes outside keep one group") {
  const Computation computation = computation_of(parse_problem("g4mb1ic16ih5oc96oh5kh1"));
  const WeightsOrder order =
      weights_order(computation, resolve(parse_schedule("[L(k,[1*1,1*2]), T(4,g), T(5,h), T(4,c), "
                                                        "U(5,w), U(k), V(k)]"),
                                         computation, 8));
  CHECK(order.groups() == 1);
  CHECK(order.distance(computation.dim("g"), 1) == 24 * 4);
}

TEST_CASE("weights order: the innermost loop over groups decides what lies side by side") {
  const Packed packed("[T(2,g), T(2,k), T(2,g), T(5,h), T(4,c), U(5,w), V(k)]");
  CHECK(packed.order.groups() == 2);
  CHECK(packed.distance("g", 1) == 8 * 4);
  CHECK(packed.distance("g", 2) == 2 * 8 * 4);
  CHECK(packed.distance("k", 8) == 4 * 8 * 4);
}
