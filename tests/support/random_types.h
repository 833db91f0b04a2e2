// SPDX-License-Identifier: Apache-2.0
// This file draws problems and epilogues for all combinations of element types.
#pragma once

#include <iterator>
#include <string>
#include <vector>

#include "random_schedule.h"
#include "sanitized.h"

namespace tileplan::test {

/// Returns `strips` with a strip of `strip` channels in place of each channel. In half of the
/// cases, the last strip of a group may be incomplete.
inline ConvShape with_elements(Random& random, ConvShape strips, int strip) {
  const std::int64_t channels = strips.c / strips.g * strip;
  const std::int64_t missing = random() % 2 == 0 ? 0 : pick(random, 0, strip - 1);
  strips.c = strips.g * (channels - missing);
  return strips;
}

inline Granularity random_granularity(Random& random) {
  return static_cast<Granularity>(pick(random, 0, 2));
}

/// Adds scales and zero points that tensors of `types` can have, each with probability 1/2 or 2/3.
/// Where sums of integers are converted to another type, the limits are multiplied by 32.
inline Epilogue quantised(Random& random, Epilogue epilogue, const TensorTypes& types) {
  const auto is_byte = [](ElementType type) {
    return type == ElementType::u8 || type == ElementType::s8;
  };
  Quantisation& numbers = epilogue.quantisation;
  if (is_byte(types.input)) {
    numbers.input_zero_point = random() % 2 == 0;
    numbers.weights_zero_points = random_granularity(random);
  }
  if (!is_integer(types.input) || types.output == ElementType::s32) return epilogue;
  numbers.scales = random_granularity(random);
  numbers.scaled_residual = epilogue.add && random() % 2 == 0;
  numbers.output_zero_point = is_byte(types.output) && random() % 2 == 0;
  epilogue.low *= 32;
  epilogue.high *= 32;
  return epilogue;
}

inline constexpr const char* kCombinations[] = {
    "bf16",      "bf16:bf16:f32", "f16",         "f16:f16:f32", "u8:s8:s32", "u8:s8:u8",
    "u8:s8:f32", "s8:s8:s32",     "s8",          "s8:s8:bf16",  "u8:u8:s32", "u8",
    "s8:u8:s32", "s8:u8:s8",      "s16:s16:s32", "s16",         "s32"};

/// Lists all combinations of types that kernels have, except f32 and f64.
inline constexpr const char* kAllCombinations[] = {
    "u8:s8:s32",     "u8:s8:u8",   "u8:s8:s8",    "u8:s8:f32",  "u8:s8:bf16", "s8:s8:s32",
    "s8:s8:u8",      "s8",         "s8:s8:f32",   "s8:s8:bf16", "u8:u8:s32",  "u8",
    "u8:u8:s8",      "u8:u8:f32",  "u8:u8:bf16",  "s8:u8:s32",  "s8:u8:u8",   "s8:u8:s8",
    "s8:u8:f32",     "s8:u8:bf16", "s16:s16:s32", "s16",        "s32",        "bf16",
    "bf16:bf16:f32", "f16",        "f16:f16:f32"};

/// Returns kAllCombinations, or every third of them with AddressSanitizer or ThreadSanitizer. These
/// sanitizers do not find wrong values, and make planning take ten times as long.
inline std::vector<std::string> combinations_to_plan() {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < std::size(kAllCombinations); i += kIsSanitized ? 3 : 1)
    found.emplace_back(kAllCombinations[i]);
  return found;
}

}  // namespace tileplan::test
