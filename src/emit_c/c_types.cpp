// SPDX-License-Identifier: Apache-2.0
// The emitted conversions have no branches, so that compilers use vectors for them.
#include "c_types.h"

namespace tileplan {
namespace {

struct CTypeRow {
  ElementType type;
  const char* name;
};

constexpr CTypeRow kTypes[] = {
    {ElementType::f32, "float"},    {ElementType::f64, "double"},  {ElementType::bf16, "uint16_t"},
    {ElementType::f16, "uint16_t"}, {ElementType::u8, "uint8_t"},  {ElementType::s8, "int8_t"},
    {ElementType::s16, "int16_t"},  {ElementType::s32, "int32_t"},
};

constexpr const char* kFloatOfBits = R"(static inline float float_of_bits(uint32_t bits) {
  float value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}
)";

constexpr const char* kBitsOfFloat = R"(static inline uint32_t bits_of_float(float value) {
  uint32_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}
)";

constexpr const char* kReadBf16 = R"(static inline float float_of_bf16(uint16_t half) {
  return float_of_bits((uint32_t)half << 16);
}
)";

constexpr const char* kReadF16 = R"(static inline float float_of_f16(uint16_t half) {
  const uint32_t size = half & 0x7fffu, sign = (half & 0x8000u) << 16;
  const uint32_t subnormal = bits_of_float((float)(int32_t)size * 0x1p-24f);
  const uint32_t normal = (size << 13) + (size < 0x7c00u ? 112u << 23 : 0x7f800000u - (0x7c00u << 13));
  return float_of_bits(sign | (size < 0x400u ? subnormal : normal));
}
)";

constexpr const char* kWriteBf16 = R"(static inline uint16_t bf16_of_float(float value) {
  const uint32_t bits = bits_of_float(value);
  const uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  return (uint16_t)(value != value ? bits >> 16 | 0x40u : rounded);
}
)";

constexpr const char* kWriteF16 = R"(static inline uint16_t f16_of_float(float value) {
  const uint32_t bits = bits_of_float(value), size = bits & 0x7fffffffu;
  const uint32_t subnormal = bits_of_float(float_of_bits(size) + 0.5f) - 0x3f000000u;
  const uint32_t normal = (size - (112u << 23) + 0xfffu + (size >> 13 & 1u)) >> 13;
  const uint32_t finite = size < 113u << 23 ? subnormal : normal;
  const uint32_t real = size < 143u << 23 ? finite : 0x7c00u;
  return (uint16_t)((bits >> 16 & 0x8000u) | (size > 0x7f800000u ? 0x7e00u : real));
}
)";

void append(std::string& text, bool used, const char* function) {
  if (used) text += function;
}

}  // namespace

std::string c_type(ElementType type) {
  for (const CTypeRow& row : kTypes)
    if (row.type == type) return row.name;
  return to_string(type);  // to_string() throws for a value that is no type.
}

bool is_half(ElementType type) { return type == ElementType::bf16 || type == ElementType::f16; }

std::string as_float(ElementType type, const std::string& value) {
  if (type == ElementType::f32) return value;
  return (is_half(type) ? "float_of_" + to_string(type) : "(float)") + "(" + value + ")";
}

std::string from_float(ElementType type, const std::string& value) {
  return is_half(type) ? to_string(type) + "_of_float(" + value + ")" : value;
}

void HalfConversions::read(ElementType type) {
  reads_bf16 = reads_bf16 || type == ElementType::bf16;
  reads_f16 = reads_f16 || type == ElementType::f16;
}

void HalfConversions::write(ElementType type) {
  writes_bf16 = writes_bf16 || type == ElementType::bf16;
  writes_f16 = writes_f16 || type == ElementType::f16;
}

void emit_half_conversions(CWriter& out, const HalfConversions& used) {
  std::string text;
  append(text, used.reads_bf16 || used.reads_f16 || used.writes_f16, kFloatOfBits);
  append(text, used.reads_f16 || used.writes_bf16 || used.writes_f16, kBitsOfFloat);
  append(text, used.reads_bf16, kReadBf16);
  append(text, used.reads_f16, kReadF16);
  append(text, used.writes_bf16, kWriteBf16);
  append(text, used.writes_f16, kWriteF16);
  if (!text.empty()) out.directive(text);
}

}  // namespace tileplan
