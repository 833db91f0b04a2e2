// SPDX-License-Identifier: Apache-2.0
// This header defines bf16 and f16, for which C++20 has no types.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace tileplan {

/// Holds a bf16 number, which is the upper half of a float.
struct Bf16 {
  std::uint16_t bits = 0;

  Bf16() = default;
  /// Rounds to the nearest number, ties to even. NaN stays NaN, and subnormals are not flushed to
  /// zero.
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
  /// Rounds to the nearest number, ties to even. Numbers whose absolute value is at least 65520
  /// become infinite. NaN stays NaN, and subnormals are not flushed to zero.
  explicit F16(float value);
  explicit F16(double value) : F16(static_cast<float>(value)) {}
  operator float() const;
};

// The two conversions below have no branches, so that compilers can use vectors.

inline F16::F16(float value) {
  constexpr int kDropped = 13;  // A float has this many more fraction bits than an f16.
  constexpr std::uint32_t kSign = 0x80000000, kHalfStep = 0xfff, kInfinity = 0x7c00, kNan = 0x7e00;
  constexpr std::uint32_t kRebias = 112U << 23, kLeastNormal = 113U << 23,
                          kFloatInfinity = 255U << 23;
  const auto all = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t size = all & ~kSign;
  // A carry into the exponent gives the next power of two, because the bits of adjacent numbers are
  // adjacent integers. Numbers that are too large become infinity.
  const std::uint32_t normal =
      std::min((size - kRebias + kHalfStep + (size >> kDropped & 1)) >> kDropped, kInfinity);
  // The least subnormal of f16 is the last bit of floats from 0.5 to 1, so the addition rounds.
  constexpr float kRound = 0.5F;
  const std::uint32_t subnormal =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(size) + kRound) -
      std::bit_cast<std::uint32_t>(kRound);
  const std::uint32_t number = size < kLeastNormal ? subnormal : normal;
  bits = static_cast<std::uint16_t>((all & kSign) >> 16 | (size > kFloatInfinity ? kNan : number));
}

inline F16::operator float() const {
  constexpr int kDropped = 13;
  constexpr std::uint32_t kSign = 0x8000, kLeastHalf = 0x400, kInfinity = 0x7c00;
  constexpr std::uint32_t kRebias = 112U << 23, kLeastNormal = 113U << 23,
                          kFloatInfinity = 255U << 23;
  const std::uint32_t size = bits & ~kSign, placed = size << kDropped;
  // A subnormal number has no implied 1, so we subtract the value of this bit, which is 2^-14 here.
  const auto subnormal = std::bit_cast<std::uint32_t>(std::bit_cast<float>(kLeastNormal | placed) -
                                                      std::bit_cast<float>(kLeastNormal));
  const std::uint32_t finite = size < kLeastHalf ? subnormal : placed + kRebias;
  const std::uint32_t number = size < kInfinity ? finite : placed | kFloatInfinity;
  return std::bit_cast<float>((bits & kSign) << 16 | number);
}

}  // namespace tileplan
