// SPDX-License-Identifier: Apache-2.0
// These functions convert neighbouring elements to a wider type or copy them, and convert f32 to
// f16. Conversions of bf16 require a CPU with AVX2, and those of f16 one with AVX2 and F16C.
#pragma once

#include <algorithm>
#include <cstdint>

#include "half.h"

namespace tileplan {

void widen(const Bf16* from, float* to, std::int64_t count);
void widen(const F16* from, float* to, std::int64_t count);

template <class From, class To>
void widen(const From* from, To* to, std::int64_t count) {
  std::transform(from, from + count, to, [](From value) {
    return static_cast<To>(value);  // NOLINT(bugprone-signed-char-misuse): s8 keeps its sign.
  });
}

/// Converts `count` floats to f16, and rounds as F16(float) does.
void narrow(const float* from, F16* to, std::int64_t count);

}  // namespace tileplan
