// SPDX-License-Identifier: Apache-2.0
// This test checks which input layouts kernels with vectors of pixels can read, and that lists of
// blocks must not cut channel blocks.
#include "layout_feasibility.h"

#include <doctest/doctest.h>

#include <string>

#include "nest.h"

namespace tileplan {
namespace {

std::string why(const std::string& problem, const std::string& text) {
  const Computation computation = computation_of(parse_problem(problem));
  const Schedule schedule = parse_schedule(text);
  const Nest nest = resolve(schedule, computation, 16);
  return why_infeasible(computation, schedule, nest, branches_of(nest),
                        layout_of(computation, Operand::input, schedule.in));
}

}  // namespace

TEST_CASE("rows of nchw are read in place, others and padding from packed boxes") {
  const std::string unpadded = "mb1ic4ih6oc2oh4kh3ph0iw34ow32kw3pw0";
  const std::string padded = "mb1ic4ih4oc2oh4kh3ph1iw32ow32kw3pw1";
  const std::string loops = "[T(4,h), T(2,w), T(3,r), T(3,s), T(4,c), U(2,k), V(w)] ";
  CHECK(why(unpadded, loops + "in=nchw out=nchw").empty());
  CHECK(why(unpadded, loops + "in=nhwc out=nhwc") ==
        "vectors of pixels are not contiguous in an input that is not packed");
  CHECK(why(padded, loops + "in=nchw out=nchw") ==
        "vectors of pixels read padding of an input that is not packed");
  CHECK(why(padded, loops + "in=nhwc out=nhwc pack=in@0").empty());
}

TEST_CASE("taps of a strided packed box lie in phases, which loops over calls must not cut") {
  const std::string strided = "mb1ic4ih9oc2oh4kh3sh2ph0iw65ow32kw3sw2pw0";
  CHECK(why(strided,
            "[T(4,h), T(2,w), T(3,r), T(3,s), T(4,c), U(2,k), V(w)] in=nchw out=nchw "
            "pack=in@0")
            .empty());
  CHECK(why(strided,
            "[T(4,h), T(3,s), T(2,w), T(3,r), T(4,c), U(2,k), V(w)] in=nchw out=nchw "
            "pack=in@0") == "a loop over the filter cuts the phases of a packed strided input");
}

TEST_CASE("parts of a list of groups begin at whole blocks of channels") {
  const std::string groups = "mb1g3ic12ih2oc3oh2kh1";
  CHECK(why(groups, "[T(2,h), T(2,w), L(g,[2*1,1*1]), R(g), U(4,c), V(k)] in=nChw8c out=nhwc")
            .empty());
  CHECK(why(groups, "[T(2,h), T(2,w), L(g,[1*1,2*1]), R(g), U(4,c), V(k)] in=nChw8c out=nhwc") ==
        "a part of L(g) begins inside a block of the layout");
}

}  // namespace tileplan
