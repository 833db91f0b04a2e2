// SPDX-License-Identifier: Apache-2.0
// This test checks which results fail in a comparison with those of the first kernel, which memory
// is flushed in each regime, and the tolerances of Winograd kernels.
#include "attached_kernel.h"

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

  /// Returns outputs that are correct except for rounding, but adds `error` to the last one.
  Buffer results(float error = 0) {
    const TensorLayout plain = layout_of(computation, Operand::output, Layout::plain);
    const std::vector<double> exact = reference(computation, tensors.operands(), plain);
    Buffer results(exact.size(), ElementType::f32);
    std::copy(exact.begin(), exact.end(), results.span<float>().begin());
    results.span<float>().back() += error;
    return results;
  }
};

/// Returns a plan of one schedule, which needs AVX2 only.
Plan plan_of_winograd(const Problem& problem, const Schedule& schedule, const Epilogue& epilogue) {
  Plan plan{.problem = problem, .machine = {.name = "toy"}};
  plan.machine.vector = {.isa = Isa::avx2, .lanes = 8, .registers = 16};
  plan.options.epilogue = epilogue;
  plan.candidates.push_back({.schedule = schedule, .prediction = {}, .measurement = {}});
  return plan;
}

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
      // The first results are compared with themselves only, so that their wrong last output
      // passes.
      misled.sampled.compare_with_first(misled.results(1)).passed());
  CHECK(misled.sampled.compare_with_first(misled.results()).passed());
}

TEST_CASE("cold caches: the weights, or all that a kernel reads and writes, its addends included") {
  const Machine machine = detect_machine();
  const Problem problem = parse_problem("m3n16k4");
  const Options options{.epilogue = parse_epilogue("bias,add")};
  Tensors tensors(problem, 1);
  const AttachedKernel bound(compile(plan(problem, machine, options)), tensors);
  const auto sizes = [&](Regime regime) {
    std::vector<std::size_t> bytes;
    for (const Bytes each : bound.cold(regime)) bytes.push_back(each.size());
    std::sort(bytes.begin(), bytes.end());
    return bytes;
  };
  CHECK(sizes(Regime::hot).empty());
  CHECK(sizes(Regime::network(4096)).empty());
  CHECK(!bound.preparation(Regime::hot));
  CHECK(bound.preparation(Regime::network(4096)));
  CHECK(tensors.others(4095).size() == 4096);
  CHECK(sizes(Regime::cold_weights) == std::vector<std::size_t>{4 * 16 * 4});
  CHECK(sizes(Regime::all_cold) ==
        std::vector<std::size_t>{3 * 4 * 4, 16 * 4, 3 * 16 * 4, 3 * 16 * 4, 4 * 16 * 4});
}

TEST_CASE("a Winograd kernel is checked against the limits of its own errors") {
  const Problem problem = parse_problem("mb1ic64ih12oc16oh12kh3ph1");
  const auto check = [&](const Epilogue& epilogue) {
    const Schedule schedule = parse_schedule(
        "[T(2,p), T(2,k), T(64,x), T(64,c), U(2,p), V(k)] in=nhwc out=nhwc winograd=6x6 pack=in@0 "
        "pack=out@0 isa=avx2");
    return check_kernel(compile(plan_of_winograd(problem, schedule, epilogue)));
  };
  for (const char* epilogue : {"none", "accumulate,bias,add,relu"}) {
    CAPTURE(epilogue);
    const Check checked = check(parse_epilogue(epilogue));
    CHECK(checked.passed());
    CHECK(checked.compared == 12 * 12 * 16);
    // Errors of direct convolutions are about 8e-7 here, and those of F(6, 3) are several times
    // larger.
    CHECK(checked.tolerance > 1e-6);
    CHECK(checked.tolerance < 1e-3);
  }
}

}  // namespace tileplan
