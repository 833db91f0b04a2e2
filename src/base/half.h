// SPDX-License-Identifier: Apache-2.0
// This header defines bf16 and f16, for which C++20 has no types.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tileplan {

/// Holds a bf16 number, which is the upper half of a float.
struct Bf16 {
  std::uint16_t bits = 0;

  Bf16() = default;
  /// Rounds to the nearest number, ties to even. NaN stays NaN, and f32 subnormals are kept.
  explicit Bf16(float value) {
    const auto all = std::bit_cast<std::uint32_t>(value);
    constexpr std::uint32_t kHalf = 0x7fff, kQuiet = 0x40;
    bits = static_cast<std::uint16_t>(std::isnan(value) ? (all >> 16) | kQuiet
                                                        : (all + kHalf + (all >> 16 & 1)) >> 16);
  }
  explicit Bf16(double value) : Bf16(static_cast<float>(value)) {}
  operator float() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
};

/// Holds an IEEE binary16 number.
struct F16 {
  std::uint16_t bits = 0;

  F16() = default;
  /// Rounds to the nearest number, ties to even; numbers from 65520 on become infinity. NaN stays
  /// NaN, and subnormals are kept.
  explicit F16(float value);
  explicit F16(double value) : F16(static_cast<float>(value)) {}
  operator float() const;
};

inline F16::F16(float value) {
  constexpr int kFractionBits = 10, kLeastExponent = -14, kMostExponent = 15;
  constexpr std::uint16_t kInfinity = 0x7c00, kNan = 0x7e00;
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const float size = std::fabs(value);
  bits = sign;
  if (std::isnan(value)) {
    bits |= kNan;
  } else if (std::isinf(value)) {
    bits |= kInfinity;
  } else if (size > 0) {
    const int exponent = std::max(std::ilogb(size), kLeastExponent);
    // The scaled value is exact, and nearbyint() rounds ties to even. A carry into the exponent
    // gives the next power of two, because the bits of adjacent numbers are adjacent integers.
    const auto steps =
        static_cast<std::uint32_t>(std::nearbyint(std::ldexp(size, kFractionBits - exponent)));
    const std::uint32_t all =
        exponent > kMostExponent
            ? std::uint32_t{kInfinity}
            : (static_cast<std::uint32_t>(exponent - kLeastExponent) << kFractionBits) + steps;
    bits |= static_cast<std::uint16_t>(std::min<std::uint32_t>(all, kInfinity));
  }
}

inline F16::operator float() const {
  constexpr std::uint32_t kExponents = 0x1f, kFractions = 0x3ff;
  constexpr int kFractionBits = 10, kLeastExponent = -14;
  const std::uint32_t exponent = bits >> kFractionBits & kExponents, fraction = bits & kFractions;
  const float sign = (bits >> 15) != 0 ? -1.0F : 1.0F;
  if (exponent == kExponents)
    return sign * (fraction == 0 ? std::numeric_limits<float>::infinity()
                                 : std::numeric_limits<float>::quiet_NaN());
  const std::uint32_t implied = exponent == 0 ? 0 : kFractions + 1;
  const int scale = (exponent == 0 ? 1 : static_cast<int>(exponent)) - 1 + kLeastExponent;
  return sign * std::ldexp(static_cast<float>(implied + fraction), scale - kFractionBits);
}

}  // namespace tileplan
