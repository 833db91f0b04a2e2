// SPDX-License-Identifier: Apache-2.0
// This test tests the verdict on candidates that were compared at different times.
#include <doctest/doctest.h>

#include "sequential_race.h"

using namespace tileplan;

namespace {

/// Returns a measurement of nine samples whose confidence interval is `seconds` +- 2 %.
Measurement around(double seconds) {
  return {.median_seconds = seconds,
          .low_seconds = 0.98 * seconds,
          .high_seconds = 1.02 * seconds,
          .kept = 9,
          .samples = 9};
}

Verdict join(const Comparison& before, const Comparison& now) {
  const Verdict verdict = joint_verdict(before, now);
  CHECK(joint_verdict(now, before) == verdict);
  return verdict;
}

}  // namespace

TEST_CASE(
    "joint verdict: a candidate measured alone is not told from one whose interval it meets") {
  const Comparison two{Verdict::tied, {around(1.0), around(1.005)}};
  CHECK(join(two, {Verdict::decided, {around(0.99)}}) == Verdict::undecided);
  CHECK(join(two, {Verdict::decided, {around(1.01)}}) == Verdict::undecided);
}

TEST_CASE("joint verdict: where one comparison is clearly slower, the other one's verdict stands") {
  const Comparison two{Verdict::tied, {around(1.0), around(1.005)}};
  CHECK(join(two, {Verdict::decided, {around(2.0)}}) == Verdict::tied);
  CHECK(join(two, {Verdict::decided, {around(0.5)}}) == Verdict::decided);
}

TEST_CASE("joint verdict: a comparison of none says nothing") {
  const Comparison two{Verdict::tied, {around(1.0), around(1.005)}};
  CHECK(join(two, {}) == Verdict::tied);
  CHECK(join({}, {}) == Verdict::unmeasured);
}

TEST_CASE("joint verdict: disturbed samples are not clearly slower") {
  Measurement disturbed = around(2.0);
  disturbed.kept = 0;
  CHECK(join({Verdict::decided, {around(1.0)}}, {Verdict::decided, {disturbed}}) ==
        Verdict::undecided);
}
