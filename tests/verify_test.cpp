// SPDX-License-Identifier: Apache-2.0
// What measuring refuses, and the list of reasons.
#include "tileplan/verify.h"

#include <doctest/doctest.h>

#include <limits>

#include "rejections.h"
#include "tileplan/error.h"

namespace tileplan {

TEST_CASE("measure: budgets that are not positive and finite are refused") {
  const Kernel kernel = compile(plan_gemm(parse_gemm("m8n64k8"), detect_machine()));
  for (const double budget : {0.0, -1.0, std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::quiet_NaN()})
    CHECK_THROWS_WITH_AS(measure(kernel, budget), doctest::Contains("must be positive and finite"),
                         Error);
}

TEST_CASE("reject: reasons are counted, and sorted") {
  Plan plan;
  for (const char* reason : {"late", "early", "late"}) reject(plan, reason);
  CHECK(plan.rejected ==
        std::vector<Rejected>{{.reason = "early", .count = 1}, {.reason = "late", .count = 2}});
}

}  // namespace tileplan
