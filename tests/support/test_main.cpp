// SPDX-License-Identifier: Apache-2.0
// This file defines the main function of every test executable.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>

namespace {

/// Counts the test cases that the command line selects.
struct SelectedCases : doctest::IReporter {
  static unsigned count;

  explicit SelectedCases(const doctest::ContextOptions&) {}
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats& stats) override {
    count = stats.numTestCasesPassingFilters;
  }
  void test_case_start(const doctest::TestCaseData&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};

unsigned SelectedCases::count = 0;

}  // namespace

DOCTEST_REGISTER_LISTENER("selected cases", 1, SelectedCases);

/// Fails where doctest passes, if the command line selects no test case: a test whose file has
/// another name would pass forever.
int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  const int failed = context.run();
  if (context.shouldExit() || failed != 0 || SelectedCases::count > 0) return failed;
  std::fputs("no test case was selected\n", stderr);
  return 1;
}

// LeakSanitizer calls this function. Its result hides memory of ended threads that LLVM's OpenMP
// runtime does not free. NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" const char* __lsan_default_suppressions() { return "leak:libomp.so\n"; }
