// SPDX-License-Identifier: Apache-2.0
// This test checks the length of reduction runs, and the shares of multiply-adds, of the input and
// of the weights that remain when padding is neither stored nor read.
#include "reduction.h"

#include <doctest/doctest.h>

#include "close_to.h"
#include "nest.h"

using namespace tileplan;

namespace {

double run_of(const char* problem, const char* schedule, Layout layout) {
  const Computation computation = computation_of(parse_problem(problem));
  const Nest nest = resolve(parse_schedule(schedule), computation, 16);
  return steps_per_run(computation, branches_of(nest).front(),
                       layout_of(computation, Operand::input, layout));
}

}  // namespace

TEST_CASE(
    "reduction: a row of taps with all channels is one run in nhwc, a block of them in nChw16c") {
  const char* conv = "mb1ic64ih14oc32oh14kh3ph1";
  const char* full = "[T(14,h), R(r), R(s), R(c), U(14,w), U(2,k), V(k)]";
  CHECK(run_of(conv, full, Layout::nhwc) == 3 * 64);
  CHECK(run_of(conv, full, Layout::nChw16c) == 16);
}

TEST_CASE("reduction: a split channel loop ends the run, and so does a dilated tap") {
  CHECK(run_of("mb1ic64ih14oc32oh14kh3ph1",
               "[T(14,h), T(2,c), R(r), R(s), T(32,c), U(14,w), U(2,k), V(k)]",
               Layout::nhwc) == 32);
  CHECK(run_of("mb1ic64ih14oc32oh14kh3ph2dh1", "[T(14,h), R(r), R(s), R(c), U(14,w), U(2,k), V(k)]",
               Layout::nhwc) == 64);
}

TEST_CASE("reduction: unrolled steps are part of the run, since the kernel loops over them") {
  CHECK(run_of("m150n320k400", "[T(10,j), T(25,i), U(400,k), U(6,i), U(2,j), V(j)]",
               Layout::plain) == 400);
  CHECK(run_of("m150n320k400", "[T(10,j), T(25,i), T(10,k), U(40,k), U(6,i), U(2,j), V(j)]",
               Layout::plain) == 400);
  CHECK(run_of("mb1ic64ih14oc32oh14kh3ph1",
               "[T(14,h), R(r), T(64,c), U(3,s), U(14,w), U(2,k), V(k)]", Layout::nhwc) == 3);
  // The kernel loops over the channels inside the columns of the filter.
  CHECK(run_of("mb1ic64ih14oc32oh14kh3ph1",
               "[T(14,h), R(r), T(16,c), U(3,s), U(4,c), U(14,w), U(2,k), V(k)]",
               Layout::nhwc) == 4);
}

TEST_CASE(
    "reduction: in a packed box without gaps, dilated taps under an equal stride are one run") {
  const Computation conv = computation_of(parse_problem("mb1ic64ih32oc32oh14kh3sh2ph0dh1"));
  const Nest nest =
      resolve(parse_schedule("[T(14,h), R(r), R(s), R(c), U(14,w), U(2,k), V(k)]"), conv, 16);
  Tile box = nest.base;
  for (const char* name : {"c", "r", "s"}) box[conv.dim(name)] = conv.extent(conv.dim(name));
  const Branch branch = branches_of(nest).front();
  CHECK(steps_per_run(conv, branch, packed_layout(conv, box, conv.dim("k"))) == 3 * 64);
  CHECK(steps_per_run(conv, branch, layout_of(conv, Operand::input, Layout::nhwc)) == 64);
}

TEST_CASE("reduction: one row of padding on both sides of 14 outputs takes 2 of 42 taps per axis") {
  const Computation conv = computation_of(parse_problem("mb1ic8ih14oc16oh14kh3ph1"));
  CHECK(array_share(conv, conv.dim("k")) == close_to((40.0 / 42) * (40.0 / 42)));
  const Computation unpadded = computation_of(parse_problem("mb1ic8ih14oc16kh1ph0"));
  CHECK(array_share(unpadded, unpadded.dim("k")) == 1);
}

TEST_CASE("reduction: vectors of pixels compute the padding along their dim") {
  const Computation conv = computation_of(parse_problem("mb1ic8ih14oc16oh14kh3ph1"));
  CHECK(array_share(conv, conv.dim("w")) == close_to(40.0 / 42));
}

TEST_CASE("reduction: weights are read in the tiles that their taps meet") {
  const Computation conv = computation_of(parse_problem("mb1ic8ih14oc16oh14kh3ph12dh11"));
  const auto share = [&](std::int64_t h, std::int64_t w) {
    Tile box = extents_of(conv);
    box[conv.dim("h")] = h;
    box[conv.dim("w")] = w;
    return weights_share(conv, conv.dim("k"), box);
  };
  CHECK(share(14, 14) == 1);
  CHECK(share(1, 14) == close_to((2 + 14 + 2) / 42.0));
  CHECK(share(1, 1) == close_to(array_share(conv, conv.dim("k"))));
  // The last tile has 2 instead of 4 rows.
  CHECK(share(4, 14) == close_to((2 + 14 + 4) / 42.0));
}

TEST_CASE("reduction: padding is not stored, and taps that meet nothing else are not read") {
  const Computation conv = computation_of(parse_problem("mb1ic8ih14oc16oh14kh3ph1"));
  CHECK(stored_share(conv) == close_to((14.0 / 16) * (14.0 / 16)));
  CHECK(weights_share(conv, conv.dim("k"), extents_of(conv)) == 1);
  // Along each axis, the three taps are 2 apart, and the input has 2 elements, so only the middle
  // tap lies inside.
  const Computation tiny = computation_of(parse_problem("mb1ic8ih2oc16oh2kh3ph2dh1"));
  CHECK(weights_share(tiny, tiny.dim("k"), extents_of(tiny)) == close_to(1.0 / 9));
  CHECK(weights_share(tiny, tiny.dim("w"), extents_of(tiny)) == close_to(1.0 / 3));
  // The only output pixel reads the only input pixel through one of 3 taps per axis.
  const Computation strided = computation_of(parse_problem("mb1ic8ih1oc16oh1kh3sh2ph1"));
  CHECK(weights_share(strided, strided.dim("k"), extents_of(strided)) == close_to(1.0 / 9));
  const Computation sparse = computation_of(parse_problem("mb1ic8ih28oc16oh14kh1sh2ph0"));
  CHECK(stored_share(sparse) == 1);
}
