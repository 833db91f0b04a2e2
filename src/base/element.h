// SPDX-License-Identifier: Apache-2.0
// These templates map element types that are known at run time to C++ types and back, and convert
// numbers between these types.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "half.h"
#include "tileplan/elements.h"

namespace tileplan {

/// Calls `body` with a zero of the C++ type for `type`, so that generic code learns the type, and
/// returns the result of the call.
template <class Body>
decltype(auto) with_element(ElementType type, const Body& body) {
  switch (type) {
    case ElementType::f64:
      return body(double{0});
    case ElementType::bf16:
      return body(Bf16{});
    case ElementType::f16:
      return body(F16{});
    case ElementType::u8:
      return body(std::uint8_t{0});
    case ElementType::s8:
      return body(std::int8_t{0});
    case ElementType::s16:
      return body(std::int16_t{0});
    case ElementType::s32:
      return body(std::int32_t{0});
    case ElementType::f32:
      break;
  }
  return body(float{0});
}

/// Returns the element type whose values have the C++ type Number.
template <class Number>
constexpr ElementType element_type() {
  if constexpr (std::is_same_v<Number, Bf16>) return ElementType::bf16;
  if constexpr (std::is_same_v<Number, F16>) return ElementType::f16;
  if constexpr (!std::is_class_v<Number>) return element_type_of<Number>();
}

/// Calls `body` with a zero of a C++ type of `bytes` bytes, 4 or 8. Code that moves or clears
/// values of these sizes thus needs only two versions, whatever the types of the values are.
template <class Body>
decltype(auto) with_size(std::int64_t bytes, const Body& body) {
  constexpr std::int64_t kDouble = sizeof(double);
  return bytes == kDouble ? body(double{0}) : body(float{0});
}

/// Is true for types of real numbers, whose operations round.
template <class Number>
constexpr bool kIsReal = !std::is_integral_v<Number>;

/// Returns `value` as a built-in number: bf16 and f16 become the equal float, and all other types
/// stay unchanged.
template <class Number>
auto number_of(Number value) {
  if constexpr (std::is_same_v<Number, Bf16> || std::is_same_v<Number, F16>)
    return static_cast<float>(value);
  else
    return value;
}

/// Returns the number of significand bits of a real number, including the bit that is not stored.
template <class Number>
constexpr int significand_bits() {
  if constexpr (std::is_same_v<Number, Bf16>) return 8;
  if constexpr (std::is_same_v<Number, F16>) return 11;
  return std::numeric_limits<Number>::digits;
}

/// Returns the value of Number that is nearest to `value`, ties to even. Numbers of bf16 and f16
/// are rounded to f32 first. For integer types, `value` is clamped to their range first, and NaN
/// becomes 0.
template <class Number>
Number nearest(double value) {
  if constexpr (kIsReal<Number>) {
    return static_cast<Number>(value);
  } else {
    if (std::isnan(value)) return 0;
    constexpr double kLow = std::numeric_limits<Number>::min();
    constexpr double kHigh = std::numeric_limits<Number>::max();
    return static_cast<Number>(std::nearbyint(std::clamp(value, kLow, kHigh)));
  }
}

}  // namespace tileplan
