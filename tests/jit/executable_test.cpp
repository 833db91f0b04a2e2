// SPDX-License-Identifier: Apache-2.0
// This test checks the error of compile() in a process that may not make memory executable.
#include <doctest/doctest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "error_of.h"
#include "tileplan/kernel.h"

using namespace tileplan;

namespace {

// The number of PR_SET_MDWE in Linux 6.3 is written here, because older headers do not define it.
constexpr int kSetDenyWriteExecute = 65;
constexpr unsigned long kRefuseExecutableGain = 1;
/// Lists the exit codes of the child process.
enum ExitCode : int { threw_error = 0, threw_nothing = 1, not_supported = 2, threw_other = 3 };

/// Forbids this process to make memory executable, then compiles a product. Returns an ExitCode
/// that tells what happened.
int compile_without_right() {
  if (prctl(kSetDenyWriteExecute, kRefuseExecutableGain, 0UL, 0UL, 0UL) != 0) return not_supported;
  try {
    compile(plan(parse_problem("m8n16k8"), detect_machine()));
  } catch (const Error& error) {
    return std::strstr(error.what(), "PR_SET_MDWE") != nullptr ? threw_error : threw_other;
  } catch (...) {
    return threw_other;
  }
  return threw_nothing;
}

}  // namespace

TEST_CASE("kernel: a process that may not make memory executable gets an Error") {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) _exit(compile_without_right());
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  const int code = WEXITSTATUS(status);
  WARN_MESSAGE(code != not_supported, "Linux is too old for PR_SET_MDWE");
  CHECK((code == threw_error || code == not_supported));
}
