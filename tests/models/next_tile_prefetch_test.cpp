// SPDX-License-Identifier: Apache-2.0
// This test checks the blocks that are prefetched, the number of elements that each call
// prefetches, and which prefetches are refused.
#include "next_tile_prefetch.h"

#include <doctest/doctest.h>

#include <string>

#include "branches.h"
#include "merge_dims.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

constexpr int kLanes = 16;

NextTilePrefetch prefetch_of(const std::string& problem, const std::string& schedule, int position,
                             Layout layout = Layout::nhwc) {
  const Schedule parsed = parse_schedule(schedule);
  const Computation computation = computation_of(parse_problem(problem), parsed);
  const Nest nest = resolve(parsed, computation, kLanes);
  const TensorLayout input = layout_of(computation, Operand::input, layout);
  return plan_next_tile_prefetch(computation, nest, microkernel_begin(computation, nest), input,
                                 position)
      .value();
}

std::string refusal(const std::string& problem, const std::string& schedule, int position) {
  try {
    prefetch_of(problem, schedule, position);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

const std::string kLayer = "mb1ic512ih14oc512oh7kh3sh2ph1";

}  // namespace

TEST_CASE("the weights of the next channels are dealt out to the calls that reuse the current") {
  const NextTilePrefetch prefetch =
      prefetch_of(kLayer, "[T(16,k), T(7,h), T(3,r), T(3,s), T(512,c), U(7,w), U(2,k), V(k)]", 0);
  CHECK(prefetch.loop == 0);
  CHECK(prefetch.block == 32 * 512 * 9);
  // Each call prefetches 21065.1 elements, rounded up to cache lines of 16.
  CHECK(prefetch.call == 21072);
}

TEST_CASE("a line holds half as many doubles") {
  const NextTilePrefetch prefetch = prefetch_of(
      "--dt=f64 " + kLayer, "[T(16,k), T(7,h), T(3,r), T(3,s), T(512,c), U(7,w), U(2,k), V(k)]", 0);
  // Each call prefetches 21065.1 elements, rounded up to cache lines of 8.
  CHECK(prefetch.call == 21072);
  const NextTilePrefetch odd = prefetch_of(
      "--dt=f64 mb1ic8ih10oc16oh8kh3", "[T(4,h), T(8,w), T(3,r), T(3,s), T(8,c), U(2,h), V(k)]", 0);
  CHECK(odd.call == 24);  // Each call prefetches 20 elements before rounding.
}

TEST_CASE("blocks of a lambda count as calls") {
  const NextTilePrefetch prefetch = prefetch_of(
      kLayer, "[T(16,k), L(h,[1*3,1*4]), T(512,c), T(3,r), T(3,s), U(h), U(7,w), U(2,k), V(k)]", 0);
  CHECK(prefetch.call == 32 * 512 * 9 / 2);
}

TEST_CASE("a split of the reduction around one register tile steps through its weights in order") {
  const NextTilePrefetch prefetch = prefetch_of(
      kLayer, "[T(16,k), T(8,c), T(7,h), T(3,r), T(3,s), T(64,c), U(7,w), U(2,k), V(k)]", 1);
  CHECK(prefetch.block == 32 * 64 * 9);
}

TEST_CASE("channels outside groups step through packed weights in order, as groups inside do") {
  const std::string problem = "g4mb1ic64ih8oc128oh8kh3ph1";
  const std::string schedule = "[T(2,k), T(4,g), T(8,h), T(3,r), T(3,s), T(16,c), U(8,w), V(k)]";
  CHECK(prefetch_of(problem, schedule, 0).block == 16 * 4 * 16 * 9);
  CHECK(prefetch_of(problem, schedule, 1).block == 16 * 16 * 9);
  // A loop of one trip over the output channels steps over the weights of one group.
  CHECK(prefetch_of("g4mb1ic64ih8oc64oh8kh3ph1",
                    "[T(4,g), T(1,k), T(8,h), T(3,r), T(3,s), T(16,c), U(8,w), V(k)]", 1)
            .block == 16 * 16 * 9);
}

TEST_CASE("the input of the next pixels is dealt out to the calls that reuse the current") {
  const NextTilePrefetch prefetch =
      prefetch_of("mb1ic128ih136oc64oh136kh1", "[T(1156,hw), T(4,k), T(128,c), U(16,hw), V(k)]", 0);
  CHECK(prefetch.operand == Operand::input);
  CHECK(prefetch.first == 16 * 128);
  CHECK(prefetch.block == 16 * 128);
  CHECK(prefetch.call == 16 * 128 / 4);
}

TEST_CASE("rows that windows share are prefetched once") {
  const NextTilePrefetch prefetch = prefetch_of(
      "mb1ic8ih10oc16oh8kh3", "[T(4,h), T(8,w), T(3,r), T(3,s), T(8,c), U(2,h), V(k)]", 0);
  CHECK(prefetch.first == 4 * 10 * 8);  // Two rows of outputs read four rows of the input.
  CHECK(prefetch.block == 2 * 10 * 8);  // The next two rows of outputs load two rows of the input.
  CHECK(prefetch.call == 32);           // Each call prefetches 20 elements before rounding.
}

TEST_CASE("vectors of pixels in nchw prefetch what the same steps of the next iteration read") {
  const NextTilePrefetch pixels =
      prefetch_of("mb1ic256ih65oc21oh65kh1ph0",
                  "[T(53,hw), T(3,k), T(256,c), U(7,k), U(5,hw), V(hw)]", 0, Layout::nchw);
  CHECK(pixels.operand == Operand::input);
  CHECK(pixels.by_steps);
  CHECK(pixels.block == 5 * 16);

  const NextTilePrefetch rows = prefetch_of(
      "mb1ic8ih16iw50oc6oh14ow48kh3kw3ph0pw0",
      "[T(7,h), T(3,w), T(3,r), T(3,s), T(8,c), U(6,k), U(2,h), V(w)]", 0, Layout::nchw);
  CHECK(rows.by_steps);
  CHECK(rows.block == 2 * 50);
  CHECK_FALSE(prefetch_of("mb1ic1ih64oc6oh64kh1ph0", "[T(64,hw), T(4,hw), U(6,k), V(hw)]", 0,
                          Layout::nchw)
                  .by_steps);  // The pixels of one channel are contiguous.
}

TEST_CASE("the loops of a microkernel begin inside the last active loop that is no reduction") {
  const Computation computation = computation_of(parse_problem(kLayer));
  const auto begin = [&](const std::string& text) {
    return microkernel_begin(computation, resolve(parse_schedule(text), computation, kLanes));
  };
  CHECK(begin("[T(32,k), T(7,h), T(512,c), T(3,r), T(3,s), U(7,w), V(k)]") == 2);
  CHECK(begin("[T(512,c), T(3,r), T(3,s), T(32,k), T(7,h), U(7,w), V(k)]") == 5);
}

TEST_CASE("positions that do not step through packed weights in order are refused") {
  const std::string inside = "[T(7,h), T(16,k), T(3,r), T(3,s), T(512,c), U(7,w), U(2,k), V(k)]";
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
        "schedule: ahead=0, which is no loop with equal steps over the weights or the input; must "
        "be");
  CHECK(refusal("mb1ic64ih28oc64oh14kh1sh2", "[T(14,h), T(4,k), T(64,c), U(14,w), V(k)]", 0) ==
        "schedule: ahead=0, whose steps read 896 elements of the input out of 1728 and are 3584 "
        "apart; must read all of them and be no further apart");
}

}  // namespace tileplan
