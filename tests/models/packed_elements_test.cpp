// SPDX-License-Identifier: Apache-2.0
// This test compares the number of elements that packing copies with an enumeration of all boxes,
// or with numbers computed by hand for outputs.
#include <doctest/doctest.h>

#include <string>

#include "computation.h"
#include "cost_machine.h"
#include "link_flows.h"
#include "oracle.h"

using namespace tileplan;

namespace {

/// Returns the number of elements of `operand` that the boxes inside loop `position` touch. An
/// element counts once for each box that touches it.
std::int64_t enumerated(const Computation& computation, const Nest& nest, int position,
                        Operand operand) {
  const auto outside = static_cast<std::size_t>(position) + 1;
  std::int64_t count = 0, boxes = 1;
  for (std::size_t i = 0; i < outside; ++i) boxes *= nest.loops[i].trips;
  oracle::Box box{.first = {}, .size = box_inside(nest, outside)};
  for (std::int64_t number = 0; number < boxes; ++number) {
    std::int64_t rest = number;
    box.first = {};
    for (std::size_t i = outside; i-- > 0; rest /= nest.loops[i].trips)
      box.first[nest.loops[i].dim] +=
          rest % nest.loops[i].trips * box_inside(nest, i + 1)[nest.loops[i].dim];
    count += std::ssize(oracle::touched(computation, static_cast<int>(operand), box));
  }
  return count;
}

void check(const std::string& problem, const std::string& loops, int position) {
  CAPTURE(problem);
  CAPTURE(position);
  const Computation computation = computation_of(parse_problem(problem));
  const Schedule packed = schedule(loops + " pack=in@" + std::to_string(position) +
                                   " pack=weights@" + std::to_string(position));
  const Nest nest = resolve(packed, computation, 16);
  const Marks marks = packed;
  const Machine any = machine({cache("L1", 4096, 8, 64e9)});
  const ResolvedSchedule resolved{computation, nest, marks, any, {}};
  for (const Operand operand : {Operand::input, Operand::weights}) {
    const std::int64_t expected = enumerated(computation, nest, position, operand);
    CHECK(packed_elements(resolved, operand) == static_cast<double>(expected));
    CHECK(packing_link(resolved, operand).bytes() == 12.0 * static_cast<double>(expected));
  }
}

}  // namespace

TEST_CASE(
    "packing: each box of the input and of the weights is copied whenever its loop advances") {
  for (int position = 0; position < 3; ++position)
    check("m8n32k12", "[T(2,j), T(3,k), T(4,i), T(4,k), U(2,i), V(j)]", position);
  for (int position = 0; position < 4; ++position)
    check("mb1ic6ih6iw6oc32oh4ow4kh3kw3",
          "[T(2,k), T(3,c), T(2,h), T(2,h), T(3,r), T(3,s), T(2,c), U(4,w), V(k)] in=nhwc out=nhwc",
          position);
}

TEST_CASE("packing: a box of outputs is emptied in each visit and filled in all but the first") {
  const Computation computation = computation_of(parse_problem("m8n32k12"));
  const Machine any = machine({cache("L1", 4096, 8, 64e9)});
  const auto copied = [&](const std::string& mark) {
    const Schedule packed = schedule("[T(2,j), T(3,k), T(4,i), T(4,k), U(2,i), V(j)] " + mark);
    const Nest nest = resolve(packed, computation, 16);
    const Marks marks = packed;
    return packed_elements(ResolvedSchedule{computation, nest, marks, any, {}}, Operand::output);
  };
  CHECK(copied("pack=C@0") == 256);                // All 8 x 32 outputs are copied back once.
  CHECK(copied("pack=C@1") == 3 * 256 + 2 * 256);  // Three blocks of k visit each output.
}
