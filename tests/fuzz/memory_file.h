// SPDX-License-Identifier: Apache-2.0
// This file stores bytes in an anonymous file, because some readers take a path.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "check.h"

namespace tileplan::fuzz {

/// Returns the path of a file with `content`. The next call overwrites this file.
inline std::string path_of(const std::string& content) {
  static const int file = memfd_create("fuzz", MFD_CLOEXEC);
  TILEPLAN_CHECK(ftruncate(file, 0) == 0, "a file in memory is cut");
  const ssize_t written = pwrite(file, content.data(), content.size(), 0);
  TILEPLAN_CHECK(written == static_cast<ssize_t>(content.size()), "a file in memory is written");
  return "/proc/self/fd/" + std::to_string(file);
}

}  // namespace tileplan::fuzz
