// SPDX-License-Identifier: Apache-2.0
// Results of candidates beside each other: the one that is wrong fails, whichever came first.
#include "trial.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "reference.h"

namespace tileplan {
namespace {

struct Fixture {
  Computation computation = computation_of(parse_problem("m3n5k4"));
  Tensors tensors{computation, 1};
  SpotCheck spots{tensors, {}, Layout::plain, {}};

  /// All outputs, exact but for rounding; the last plus `error`.
  Buffer results(float error = 0) {
    const TensorLayout plain = layout_of(computation, Operand::output, Layout::plain);
    const std::vector<double> exact = reference(computation, tensors.operands(), plain);
    Buffer results(exact.size(), ElementType::f32);
    std::copy(exact.begin(), exact.end(), results.span<float>().begin());
    results.span<float>().back() += error;
    return results;
  }
};

}  // namespace

TEST_CASE("spot check: a first result that is no number does not stand for the right one") {
  Fixture fixture;
  CHECK(!fixture.spots.against_first(fixture.results(std::numeric_limits<float>::quiet_NaN()))
             .passed());
  CHECK(fixture.spots.against_first(fixture.results()).passed());
}

TEST_CASE("spot check: where a result differs from the first, the exact value decides") {
  Fixture fixture;
  REQUIRE(fixture.spots.against_first(fixture.results()).passed());
  const Check wrong = fixture.spots.against_first(fixture.results(1));
  CHECK(!wrong.passed());
  CHECK(wrong.worst_index == 14);
  Fixture misled;
  REQUIRE(misled.spots.against_first(misled.results(1)).passed());  // spots look at few outputs
  CHECK(misled.spots.against_first(misled.results()).passed());
}

}  // namespace tileplan
