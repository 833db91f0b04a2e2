// SPDX-License-Identifier: Apache-2.0
// This test checks that planning with measurements neither hangs nor fails in a child process whose
// parent ran a team of threads before.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tileplan/tileplan.h"

using namespace tileplan;

namespace {

/// Plans and measures in a child process for at most `seconds`, and returns the status that
/// waitpid() gives.
int measure_in_child(int threads, unsigned seconds) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(seconds);
    try {
      const Plan found = plan(parse_problem("m16n32k8"), detect_machine(),
                              {.verify = 1, .budget_seconds = 0.2, .threads = threads});
      // No sample is required, because a busy machine may leave no time for one.
      _exit(found.candidates.empty() ? 1 : 0);
    } catch (const std::exception&) {
      _exit(2);
    }
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return status;
}

}  // namespace

TEST_CASE("fork: after its parent ran two threads, a child measures kernels of one and of two") {
  run_tasks(2, [](int) {});
  CHECK(measure_in_child(1, 60) == 0);
  if (detect_machine().cores < 2) return;
  run_tasks(2, [](int) {});
  CHECK(measure_in_child(2, 60) == 0);
}
