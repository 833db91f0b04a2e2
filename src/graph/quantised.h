// SPDX-License-Identifier: Apache-2.0
// This file reads the operators of ONNX on quantised tensors, and rounds to integers.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "node_view.h"
#include "tileplan/element.h"

namespace tileplan {

/// Returns true for QLinearConv, QLinearMatMul, ConvInteger and MatMulInteger.
bool is_quantised_layer(const std::string& kind);

/// Returns true for QLinearConv and QLinearMatMul, whose output has a scale.
bool is_scaled_layer(const std::string& kind);

/// Returns true for QuantizeLinear and DequantizeLinear.
bool is_quantisation(const std::string& kind);

/// Returns true for "u8" and "s8".
bool is_byte_type(const std::string& type);

/// Returns the size in bytes of an element of GraphValue::type. The size is 4 for all types other
/// than u8, s8, f64 and i64.
std::int64_t bytes_of_type(const std::string& type);

/// Returns the element type with the name "f32", "u8", "s8" or "s32", and nothing for other types.
std::optional<ElementType> element_of(const std::string& type);

/// Holds the positions of the inputs of a quantised layer. The position is kMissing if the operator
/// does not have the input.
struct QuantisedInputs {
  static constexpr std::size_t kMissing = 99;
  std::size_t input = 0, weights = 1;
  std::size_t input_zero = 2, weights_zero = 3;
  std::size_t input_scale = kMissing, weights_scale = kMissing, output_scale = kMissing,
              output_zero = kMissing, bias = kMissing;
};
QuantisedInputs quantised_inputs(const std::string& kind);

/// Returns the Conv or Product that multiplies the input and the weights of a quantised layer. A
/// NodeView of this node needs the graph of the layer.
GraphNode plain_layer(const GraphNode& node);

/// Returns `input` * w / `output` in f32 for each scale w in `weights`. The arguments are the
/// scales of the input, the weights and the output of a quantised layer.
std::vector<float> combined_scales(float input, const std::vector<double>& weights, float output);

/// Returns the integer nearest to `value`, ties to even, plus `zero_point`, as a Number. A result
/// outside the range of Number becomes the nearest limit. NaN becomes the lower limit.
template <class Number>
__attribute__((always_inline)) inline Number quantised(float value, std::int32_t zero_point) {
  const auto low = static_cast<float>(std::numeric_limits<Number>::min() - zero_point);
  const auto high = static_cast<float>(std::numeric_limits<Number>::max() - zero_point);
  value = value > low ? value : low;
  value = value < high ? value : high;
  return static_cast<Number>(static_cast<std::int32_t>(std::nearbyint(value)) + zero_point);
}

/// Holds the scale and the zero point that DynamicQuantizeLinear chooses.
struct DynamicScale {
  float scale = 1;
  std::uint8_t zero_point = 0;
};

/// Returns the scale and zero point that map 0 and the `count` numbers to the full range of u8.
/// The scale is 1 if all numbers are 0, as in ONNX Runtime. Requires that `count` is positive.
DynamicScale dynamic_scale(const float* numbers, std::int64_t count);

}  // namespace tileplan
