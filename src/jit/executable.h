// SPDX-License-Identifier: Apache-2.0
// This file declares the step that makes assembled code executable. Code is never writable and
// executable at once.
#pragma once

#include <xbyak/xbyak.h>

#include <cstddef>

namespace tileplan {

inline constexpr std::size_t kPageBytes = 4096;

/// Returns `bytes`, rounded up to a multiple of the page size.
constexpr std::size_t whole_pages(std::size_t bytes) {
  return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

/// Makes the code of `generator` executable and read-only. Throws Error when the system forbids it,
/// for example after prctl(PR_SET_MDWE).
void make_executable(Xbyak::CodeGenerator& generator);

}  // namespace tileplan
