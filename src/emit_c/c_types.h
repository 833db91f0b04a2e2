// SPDX-License-Identifier: Apache-2.0
// Names the C types of tensor elements, and writes functions that convert bf16 and f16.
#pragma once

#include <string>

#include "c_text.h"
#include "tileplan/element.h"

namespace tileplan {

/// Returns the C type of elements of `type`. C has no types for bf16 and f16, so these are bits.
std::string c_type(ElementType type);

/// Returns true for bf16 and f16, which functions of the emitted file convert.
bool is_half(ElementType type);

/// Returns C text for `value`, of type `type`, as a float.
std::string as_float(ElementType type, const std::string& value);

/// Returns C text for the float `value`, rounded to nearest even to `type`, which is f32, bf16 or
/// f16.
std::string from_float(ElementType type, const std::string& value);

/// Tells which conversions of bf16 or f16 the code of a file uses.
struct HalfConversions {
  bool reads_bf16 = false, reads_f16 = false, writes_bf16 = false, writes_f16 = false;

  void read(ElementType type);
  void write(ElementType type);
};

/// Writes the functions that as_float() and from_float() call. Subnormal numbers are kept.
void emit_half_conversions(CWriter& out, const HalfConversions& used);

}  // namespace tileplan
