// SPDX-License-Identifier: Apache-2.0
// These tests check how TILEPLAN_TRACE lists stages.
#include "trace.h"

#include <doctest/doctest.h>

namespace tileplan {

TEST_CASE("stages stand between commas, whole") {
  CHECK(lists_stage("run", "run"));
  CHECK(lists_stage("order,run", "run"));
  CHECK(lists_stage("run,order", "run"));
  CHECK_FALSE(lists_stage("", "run"));
  CHECK_FALSE(lists_stage("runner,rerun", "run"));
}

}  // namespace tileplan
