// SPDX-License-Identifier: Apache-2.0
// The main function of every test executable.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

// What the OpenMP runtime of LLVM keeps for threads that have ended is not ours to free.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): the name that LeakSanitizer asks for
extern "C" const char* __lsan_default_suppressions() { return "leak:libomp.so\n"; }
