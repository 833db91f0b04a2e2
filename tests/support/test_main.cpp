// SPDX-License-Identifier: Apache-2.0
// Defines the main function of every test executable.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

// LLVM's OpenMP runtime keeps memory of threads that have ended, which we cannot free.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): LeakSanitizer's
extern "C" const char* __lsan_default_suppressions() { return "leak:libomp.so\n"; }
