// SPDX-License-Identifier: Apache-2.0
// This header names the types of tensor elements.
#pragma once

#include <cstdint>
#include <string>

#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Names the IEEE formats binary32, binary64 and binary16 (f16), the upper half of binary32 (bf16),
/// and integers of 8, 16 and 32 bits, which are unsigned (u) or in two's complement (s).
enum class ElementType { f32, f64, bf16, f16, u8, s8, s16, s32 };

/// Returns the name of the enumerator, such as "bf16". Throws Error for any other value.
std::string to_string(ElementType type);

/// Returns the size of one element in bytes: 1, 2, 4 or 8. Throws Error as to_string() does.
std::int64_t bytes_of(ElementType type);

/// Returns true for u8, s8, s16 and s32.
constexpr bool is_integer(ElementType type) { return type >= ElementType::u8; }

/// Holds the element type of each tensor of a problem.
struct TensorTypes {
  ElementType input, weights, output;

  /// Gives all tensors one type.
  constexpr TensorTypes(ElementType all = ElementType::f32)
      : input(all), weights(all), output(all) {}
  constexpr TensorTypes(ElementType the_input, ElementType the_weights, ElementType the_output)
      : input(the_input), weights(the_weights), output(the_output) {}

  bool operator==(const TensorTypes&) const = default;
};

/// Returns the name of the type if all three are equal, and otherwise input, weights and output, as
/// in "u8:s8:s32". Throws Error as to_string() of an ElementType does.
std::string to_string(const TensorTypes& types);

/// Returns the types that `text` names as to_string() writes them; three equal names are allowed.
/// Throws Error when a name is unknown, when there are neither one nor three names, and when
/// accumulator_of() refuses the types.
TensorTypes parse_types(const std::string& text);

/// Returns the type of the sums that these types need: f64 for f64, s32 for integers, and f32 for
/// all others. Sums in s32 are exact modulo 2^32. Throws Error unless the types are one of these
/// combinations: f32 or f64 everywhere; bf16 or f16 with an output of the same type or f32; any of
/// u8 and s8 with an output of s32, u8, s8, f32 or bf16; s16 with an output of s32 or s16; s32
/// everywhere.
ElementType accumulator_of(const TensorTypes& types);

}  // namespace tileplan
