// SPDX-License-Identifier: Apache-2.0
// This test checks the results of schedules that a second core compiles and checks in advance.
#include "ahead_checker.h"

#include <doctest/doctest.h>

#include <atomic>

#include "timer.h"

using namespace tileplan;

namespace {

/// Holds a checker, and counts the schedules that it has begun to check.
struct Fixture {
  const Plan ranked = plan(parse_problem("m64n64k64"), detect_machine(), {.top = 2});
  const std::vector<int> cores = allowed_cores();
  std::atomic<int> begun = 0;
  AheadChecker checker{ranked, 1, cores.back(), [this](const std::string&) { ++begun; }};

  std::string schedule(std::size_t rank) const {
    return to_string(ranked.candidates[rank].schedule);
  }
  void wait_for(int count) const {
    while (begun < count) std::this_thread::yield();
  }
};

}  // namespace

TEST_CASE("ahead: kernels that pass are handed over once, with the schedule that was asked for") {
  Fixture fixture;
  fixture.checker.expect({fixture.schedule(0), fixture.schedule(1)});
  fixture.wait_for(2);
  const std::optional<CheckedSchedule> second = fixture.checker.take(fixture.schedule(1));
  REQUIRE(second.has_value());
  REQUIRE(second->bound.has_value());
  CHECK(to_string(second->bound->kernel().schedule()) == fixture.schedule(1));
  CHECK(fixture.checker.take(fixture.schedule(0))->bound.has_value());
  CHECK_FALSE(fixture.checker.take(fixture.schedule(0)).has_value());
}

TEST_CASE("ahead: a schedule that cannot be compiled has a reason instead of a kernel") {
  Fixture fixture;
  fixture.checker.expect({"[T(3,i)]"});
  fixture.wait_for(1);
  const std::optional<CheckedSchedule> failed = fixture.checker.take("[T(3,i)]");
  REQUIRE(failed.has_value());
  CHECK_FALSE(failed->bound.has_value());
  CHECK(failed->failure.find('i') != std::string::npos);
}

TEST_CASE("ahead: unexpected schedules are left to the caller, and new batches replace old ones") {
  Fixture fixture;
  CHECK_FALSE(fixture.checker.take(fixture.schedule(0)).has_value());
  fixture.checker.expect({fixture.schedule(0)});
  fixture.wait_for(1);
  fixture.checker.expect({fixture.schedule(1)});
  fixture.wait_for(2);
  CHECK(fixture.checker.take(fixture.schedule(1)).has_value());
}
