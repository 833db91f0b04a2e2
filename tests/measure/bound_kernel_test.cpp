// SPDX-License-Identifier: Apache-2.0
// Tests that a candidate with a wrong result fails, whichever candidate came first.
#include "bound_kernel.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "reference.h"

namespace tileplan {
namespace {

struct Fixture {
  Computation computation = computation_of(parse_problem("m3n5k4"));
  Tensors tensors{computation, 1};
  SampledCheck sampled{tensors, {}, Layout::plain, {}};

  /// Returns all outputs, exact except for rounding, after adding `error` to the last output.
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

TEST_CASE("sampled check: a first result of NaN is not taken as the right one") {
  Fixture fixture;
  CHECK(
      !fixture.sampled.compare_with_first(fixture.results(std::numeric_limits<float>::quiet_NaN()))
           .passed());
  CHECK(fixture.sampled.compare_with_first(fixture.results()).passed());
}

TEST_CASE("sampled check: where a result differs from the first, the exact value decides") {
  Fixture fixture;
  REQUIRE(fixture.sampled.compare_with_first(fixture.results()).passed());
  const Check wrong = fixture.sampled.compare_with_first(fixture.results(1));
  CHECK(!wrong.passed());
  CHECK(wrong.worst_index == 14);
  Fixture misled;
  REQUIRE(
      // The sampled outputs do not include the wrong one.
      misled.sampled.compare_with_first(misled.results(1)).passed());
  CHECK(misled.sampled.compare_with_first(misled.results()).passed());
}

TEST_CASE("cold caches: the weights, or all that a kernel reads and writes, its addends included") {
  const Machine machine = detect_machine();
  const Problem problem = parse_problem("m3n16k4");
  const Options options{.epilogue = parse_epilogue("bias,add")};
  Tensors tensors(problem, 1);
  const BoundKernel bound(compile(plan(problem, machine, options)), tensors);
  const auto sizes = [&](Regime regime) {
    std::vector<std::size_t> bytes;
    for (const Bytes each : bound.cold(regime)) bytes.push_back(each.size());
    std::sort(bytes.begin(), bytes.end());
    return bytes;
  };
  CHECK(sizes(Regime::hot).empty());
  CHECK(sizes(Regime::cold_weights) == std::vector<std::size_t>{4 * 16 * 4});
  CHECK(sizes(Regime::all_cold) ==
        std::vector<std::size_t>{3 * 4 * 4, 16 * 4, 3 * 16 * 4, 3 * 16 * 4, 4 * 16 * 4});
}

}  // namespace tileplan
