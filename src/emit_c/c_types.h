// SPDX-License-Identifier: Apache-2.0
// This file names the C types of tensor elements, and writes functions that convert bf16 and f16.
#pragma once

#include <string>

#include "c_text.h"
#include "tileplan/element.h"

namespace tileplan {

/// Returns the C type of elements of `type`. C has no types for bf16 and f16, so their bits are
/// held in integers.
std::string c_type(ElementType type);

/// Returns true for bf16 and f16, which functions in the emitted file convert to and from float.
bool is_half(ElementType type);

/// Returns C text that converts `value`, C text of the type `type`, to float.
std::string as_float(ElementType type, const std::string& value);

/// Returns C text that converts the float `value` to `type` (f32, bf16 or f16), rounded to nearest
/// even.
std::string from_float(ElementType type, const std::string& value);

/// Tells which conversions of bf16 or f16 an emitted file uses.
struct HalfConversions {
  bool reads_bf16 = false, reads_f16 = false, writes_bf16 = false, writes_f16 = false;

  void read(ElementType type);
  void write(ElementType type);
};

/// Writes the functions that the texts of as_float() and from_float() call for the conversions in
/// `used`. The functions keep subnormal numbers.
void emit_half_conversions(CWriter& out, const HalfConversions& used);

}  // namespace tileplan
