// SPDX-License-Identifier: Apache-2.0
// This file keeps the rows of packed boxes from being a multiple of 16 cache lines apart.
#pragma once

#include "access.h"

namespace tileplan {

/// Returns the distance, in elements, between rows of `elements` elements in a box of `tensor`.
/// Rows that are a multiple of 16 cache lines apart would share few sets of the L1, so one more
/// line is put between them.
inline std::int64_t uncrowded(std::int64_t elements, const TensorAccess& tensor) {
  constexpr std::int64_t kLineBytes = 64, kCrowdedLines = 16;
  const std::int64_t line = kLineBytes / tensor.element_bytes();
  return elements % (kCrowdedLines * line) == 0 ? elements + line : elements;
}

}  // namespace tileplan
