// SPDX-License-Identifier: Apache-2.0
// This file defines the main function of test executables that have none of their own.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

// LeakSanitizer calls this function. Its result hides memory of ended threads that LLVM's OpenMP
// runtime does not free. NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" const char* __lsan_default_suppressions() { return "leak:libomp.so\n"; }
