// SPDX-License-Identifier: Apache-2.0
// This test checks inside which loops the input and plain weights are packed, and when weights are
// read in place.
#include "packing.h"

#include <doctest/doctest.h>

#include <vector>

#include "tileplan/problem.h"

namespace tileplan {
namespace {

const Computation& layer() {
  static const Computation computation = computation_of(parse_problem("mb1ic64ih16oc64oh16kh3ph1"));
  return computation;
}

}  // namespace

TEST_CASE("variants: the input is packed inside outer loops that it depends on") {
  const Schedule schedule =
      parse_schedule("[T(4,k), T(4,c), T(16,h), T(2,w), T(3,r), T(3,s), T(16,c), U(8,w), V(k)]");
  const std::vector<Schedule> packed = input_packings(layer(), schedule);
  REQUIRE(packed.size() == 3);
  CHECK(*packed[0].pack_input == 1);
  CHECK(*packed[1].pack_input == 2);
  CHECK(*packed[2].pack_input == 3);
}

TEST_CASE(
    "variants: for vectors of pixels the whole input is packed where no outer loop depends on it") {
  const Schedule schedule = parse_schedule("[T(64,c), T(3,r), T(3,s), U(4,k), V(w)]");
  const std::vector<Schedule> packed = input_packings(layer(), schedule);
  REQUIRE(packed.size() == 1);
  CHECK(to_string(packed[0]).find("[T(1,n), T(64,c)") == 0);
  CHECK(*packed[0].pack_input == 0);
}

TEST_CASE("variants: plain weights are read in place, or packed inside loops over them or first") {
  const Computation product = computation_of(parse_problem("m64n64k64"));
  const Schedule schedule = parse_schedule("[T(4,j), T(8,i), T(64,k), U(8,i), V(j)] pack=in@1");
  const VectorUnit unit{.isa = Isa::avx512, .lanes = 16};
  const std::vector<Schedule> forms = plain_weights_forms(product, unit, schedule);
  REQUIRE(forms.size() == 3);
  CHECK(forms[0].weights_in_place);
  CHECK(forms[1].pack_weights == 0);
  CHECK(to_string(forms[2]) ==
        "[T(1,i), T(4,j), T(8,i), T(64,k), U(8,i), V(j)] pack=in@2 pack=weights@0");
  // In oihw, neighbouring output channels are not contiguous, so vectors of them cannot be read in
  // place.
  const Schedule conv = parse_schedule("[T(2,k), T(16,h), T(64,c), U(8,w), V(k)]");
  for (const Schedule& form : plain_weights_forms(layer(), unit, conv))
    CHECK_FALSE(form.weights_in_place);
}

}  // namespace tileplan
