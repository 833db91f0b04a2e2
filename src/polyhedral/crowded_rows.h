// SPDX-License-Identifier: Apache-2.0
// Rows of packed boxes must not be a multiple of 16 cache lines apart.
#pragma once

#include "access.h"

namespace tileplan {

/// Returns the distance of rows of `elements` in a box of `tensor`. Rows that are a multiple of 16
/// cache lines apart would compete for a few sets of the L1, so they get one more line.
inline std::int64_t uncrowded(std::int64_t elements, const TensorAccess& tensor) {
  constexpr std::int64_t kLineBytes = 64, kCrowdedLines = 16;
  const std::int64_t line = kLineBytes / tensor.element_bytes();
  return elements % (kCrowdedLines * line) == 0 ? elements + line : elements;
}

}  // namespace tileplan
