// SPDX-License-Identifier: Apache-2.0
// This test runs the pairwise comparison of kernels on this host.
#include "tileplan/compare.h"

#include <doctest/doctest.h>

#include <string>

#include "tileplan/machine.h"

using namespace tileplan;

namespace {

/// Compiles a 64 x 64 x 256 product with register tiles of `rows` rows and one vector.
Kernel kernel_of(int rows, const Machine& machine) {
  const std::string vectors = std::to_string(64 / machine.vector.lanes);
  const std::string text = "[T(" + vectors + ",j), T(" + std::to_string(64 / rows) +
                           ",i), T(256,k), U(" + std::to_string(rows) + ",i), V(j)]";
  return compile(plan_of(parse_gemm("m64n64k256"), machine, parse_schedule(text)));
}

}  // namespace

TEST_CASE("against: one sum at a time waits for the latency of each step, eight do not") {
  const Machine machine = detect_machine();
  const std::vector<PairedResult> results = compare(
      kernel_of(8, machine), {kernel_of(1, machine), kernel_of(8, machine)}, {.budget_seconds = 1});
  REQUIRE(results.size() == 2);
  const auto times = [&](std::size_t i) {
    return results[i].second.value().median_seconds / results[i].first.value().median_seconds;
  };
  CHECK(times(0) > 1.5);
  CHECK(times(1) < 1.5);
  for (const PairedResult& result : results) {
    CHECK(result.pairs >= result.kept);
    CHECK(result.kept <= 41);
    CHECK(result.ratio.has_value() == result.disturbed.empty());
  }
}
