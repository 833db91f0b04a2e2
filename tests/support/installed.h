// SPDX-License-Identifier: Apache-2.0
// This file finds the programs that tests of emitted C start.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

namespace tileplan::test {

inline bool is_installed(const std::string& program) {
  return std::system(("command -v " + program + " > /dev/null 2>&1").c_str()) == 0;
}

/// Returns true if this host can compile C for NEON and emulate the code. Otherwise prints which
/// Debian packages this needs.
inline bool can_emulate_neon() {
  const bool can = is_installed("aarch64-linux-gnu-gcc") && is_installed("qemu-aarch64");
  if (!can)
    MESSAGE(
        "skipped: needs the Debian packages gcc-aarch64-linux-gnu, libc6-dev-arm64-cross and "
        "qemu-user");
  return can;
}

}  // namespace tileplan::test
