// SPDX-License-Identifier: Apache-2.0
// This file converts element types to text and back, and decides which types can be combined. It
// also gives the size of each type and the type of sums.
#include <algorithm>
#include <vector>

#include "names.h"
#include "tileplan/element.h"
#include "tileplan/error.h"
#include "words.h"

namespace tileplan {
namespace {

constexpr Names<ElementType, 8> kElementTypes{{{ElementType::f32, "f32"},
                                               {ElementType::f64, "f64"},
                                               {ElementType::bf16, "bf16"},
                                               {ElementType::f16, "f16"},
                                               {ElementType::u8, "u8"},
                                               {ElementType::s8, "s8"},
                                               {ElementType::s16, "s16"},
                                               {ElementType::s32, "s32"}}};

constexpr const char* kCombinations =
    "f32, f64, s32, bf16:bf16:(bf16|f32), f16:f16:(f16|f32), "
    "(u8|s8):(u8|s8):(s32|u8|s8|f32|bf16) or s16:s16:(s32|s16)";

bool is_byte(ElementType type) { return type == ElementType::u8 || type == ElementType::s8; }

/// Returns the types that the output may have if the input has the type `input`.
std::vector<ElementType> outputs_of(ElementType input) {
  using enum ElementType;
  if (is_byte(input)) return {s32, u8, s8, f32, bf16};
  if (input == s16) return {s32, s16};
  if (input == bf16 || input == f16) return {input, f32};
  return {input};
}

ElementType read_type(std::string_view name) {
  return parse_name(kElementTypes, "element type", std::string(name));
}

std::vector<std::string_view> split_types(std::string_view text) {
  std::vector<std::string_view> parts;
  for (auto colon = text.find(':'); colon != text.npos; colon = text.find(':')) {
    parts.push_back(text.substr(0, colon));
    text.remove_prefix(colon + 1);
  }
  parts.push_back(text);
  return parts;
}

}  // namespace

std::string to_string(ElementType type) {
  std::string name = name_in(kElementTypes, type);
  if (name.empty())
    throw Error("the element type is " + std::to_string(static_cast<int>(type)) + "; must be " +
                list_of(kElementTypes));
  return name;
}

std::int64_t bytes_of(ElementType type) {
  switch (type) {
    case ElementType::u8:
    case ElementType::s8:
      return 1;
    case ElementType::bf16:
    case ElementType::f16:
    case ElementType::s16:
      return 2;
    case ElementType::f32:
    case ElementType::s32:
      return 4;
    case ElementType::f64:
      return 8;
  }
  throw Error("the element type is " + std::to_string(static_cast<int>(type)) + "; must be " +
              list_of(kElementTypes));
}

std::string to_string(const TensorTypes& types) {
  std::string text = to_string(types.input);
  if (types == TensorTypes(types.input)) return text;
  text.append(":").append(to_string(types.weights)).append(":");
  return text.append(to_string(types.output));
}

ElementType accumulator_of(const TensorTypes& types) {
  const bool is_product =
      types.input == types.weights || (is_byte(types.input) && is_byte(types.weights));
  const std::vector<ElementType> outputs = outputs_of(types.input);
  if (!is_product || std::ranges::count(outputs, types.output) == 0)
    throw Error("element types " + to_string(types) +
                " (input:weights:output) have no kernel; must be " + kCombinations);
  if (is_integer(types.input)) return ElementType::s32;
  return types.input == ElementType::f64 ? ElementType::f64 : ElementType::f32;
}

TensorTypes parse_types(const std::string& text) {
  const std::vector<std::string_view> parts = split_types(text);
  if (parts.size() != 1 && parts.size() != 3)
    throw Error("element types " + in_quotes(text) + "; must be one type, or input:weights:output");
  const TensorTypes types =
      parts.size() == 1
          ? TensorTypes(read_type(parts[0]))
          : TensorTypes(read_type(parts[0]), read_type(parts[1]), read_type(parts[2]));
  accumulator_of(types);
  return types;
}

}  // namespace tileplan
