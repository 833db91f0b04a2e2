// SPDX-License-Identifier: Apache-2.0
// TILEPLAN_CHECK aborts the program when an internal invariant is violated, because that is a bug
// in tileplan. TILEPLAN_DCHECK does the same, but only in builds without NDEBUG.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace tileplan {

[[noreturn]] inline void check_failed(const char* file, int line, const char* condition,
                                      const char* why) {
  std::fprintf(stderr, "%s:%d: internal error: %s (%s)\n", file, line, why, condition);
  std::abort();
}

}  // namespace tileplan

#define TILEPLAN_CHECK(condition, why) \
  ((condition) ? void() : ::tileplan::check_failed(__FILE_NAME__, __LINE__, #condition, why))
#ifdef NDEBUG
#define TILEPLAN_DCHECK(condition, why) void()
#else
#define TILEPLAN_DCHECK(condition, why) TILEPLAN_CHECK(condition, why)
#endif
