// SPDX-License-Identifier: Apache-2.0
// The loops whose next weights are prefetched: blocks, shares of the calls, refusals.
#include "ahead.h"

#include <doctest/doctest.h>

#include <string>

#include "tileplan/error.h"

namespace tileplan {
namespace {

constexpr int kLanes = 16;

Ahead ahead_of(const std::string& problem, const std::string& schedule, int position) {
  const Computation computation = computation_of(parse_problem(problem));
  const Nest nest = resolve(parse_schedule(schedule), computation, kLanes);
  return plan_ahead(computation, nest, reduction_band(computation, nest), position).value();
}

std::string refusal(const std::string& problem, const std::string& schedule, int position) {
  try {
    ahead_of(problem, schedule, position);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

const std::string kLayer = "mb1ic512ih14oc512oh7kh3sh2ph1";

}  // namespace

TEST_CASE("the weights of the next channels are dealt out to the calls that reuse the current") {
  const Ahead ahead =
      ahead_of(kLayer, "[T(16,k), T(7,h), T(3,r), T(3,s), T(512,c), U(7,w), U(2,k), V(k)]", 0);
  CHECK(ahead.loop == 0);
  CHECK(ahead.block == 32 * 512 * 9);
  CHECK(ahead.call == 21072);  // a seventh, 21065.1, in whole lines of 16 floats
}

TEST_CASE("blocks of a lambda count as calls") {
  const Ahead ahead = ahead_of(
      kLayer, "[T(16,k), L(h,[1*3,1*4]), T(512,c), T(3,r), T(3,s), U(h), U(7,w), U(2,k), V(k)]", 0);
  CHECK(ahead.call == 32 * 512 * 9 / 2);
}

TEST_CASE("a split of the reduction around one register tile steps through its weights in order") {
  const Ahead ahead = ahead_of(
      kLayer, "[T(16,k), T(8,c), T(7,h), T(3,r), T(3,s), T(64,c), U(7,w), U(2,k), V(k)]", 1);
  CHECK(ahead.block == 32 * 64 * 9);
}

TEST_CASE("the band is what one call runs") {
  const Computation computation = computation_of(parse_problem(kLayer));
  const auto band = [&](const std::string& text) {
    return reduction_band(computation, resolve(parse_schedule(text), computation, kLanes));
  };
  CHECK(band("[T(32,k), T(7,h), T(512,c), T(3,r), T(3,s), U(7,w), V(k)]") == 2);
  CHECK(band("[T(512,c), T(3,r), T(3,s), T(32,k), T(7,h), U(7,w), V(k)]") == 5);
}

TEST_CASE("positions that do not step through packed weights in order are refused") {
  const std::string inside = "[T(7,h), T(16,k), T(3,r), T(3,s), T(512,c), U(7,w), U(2,k), V(k)]";
  CHECK(refusal(kLayer, inside, 0) ==
        "schedule: ahead=0, which is no loop with equal steps over the weights; must be");
  CHECK(refusal(kLayer, inside, 2) ==
        "schedule: ahead=2, which is no loop around microkernel calls; must be");
  const std::string split =
      "[T(8,c), T(16,k), T(7,h), T(3,r), T(3,s), T(64,c), U(7,w), U(2,k), V(k)]";
  CHECK(refusal(kLayer, split, 0) ==
        "schedule: ahead=0, whose steps need 294912 weights and are 18432 apart in packed weights; "
        "must be equal");
  CHECK(refusal(kLayer, split, 1) ==
        "schedule: ahead=1, whose steps need 18432 weights and are 147456 apart in packed weights; "
        "must be equal");
  CHECK(refusal(kLayer, "[L(k,[4*3,10*2]), T(7,h), T(3,r), T(3,s), T(512,c), U(7,w), U(k), V(k)]",
                0) ==
        "schedule: ahead=0, which is no loop with equal steps over the weights; must be");
}

}  // namespace tileplan
