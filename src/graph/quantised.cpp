// SPDX-License-Identifier: Apache-2.0
// This file lists the quantised operators of ONNX with their inputs, gives the sizes of element
// types, and computes scales.
#include "quantised.h"

namespace tileplan {
namespace {

constexpr QuantisedInputs kScaledInputs{.input = 0,
                                        .weights = 3,
                                        .input_zero = 2,
                                        .weights_zero = 5,
                                        .input_scale = 1,
                                        .weights_scale = 4,
                                        .output_scale = 6,
                                        .output_zero = 7,
                                        .bias = 8};

bool is_conv(const std::string& kind) { return kind == "QLinearConv" || kind == "ConvInteger"; }

}  // namespace

bool is_scaled_layer(const std::string& kind) {
  return kind == "QLinearConv" || kind == "QLinearMatMul";
}
bool is_quantised_layer(const std::string& kind) {
  return is_scaled_layer(kind) || kind == "ConvInteger" || kind == "MatMulInteger";
}
bool is_quantisation(const std::string& kind) {
  return kind == "QuantizeLinear" || kind == "DequantizeLinear";
}
bool is_byte_type(const std::string& type) { return type == "u8" || type == "s8"; }

std::int64_t bytes_of_type(const std::string& type) {
  constexpr std::int64_t kWide = 8, kWord = 4;
  if (is_byte_type(type)) return 1;
  return type == "f64" || type == "i64" ? kWide : kWord;
}

std::optional<ElementType> element_of(const std::string& type) {
  using enum ElementType;
  for (const ElementType each : {f32, u8, s8, s32})
    if (type == to_string(each)) return each;
  return std::nullopt;
}

QuantisedInputs quantised_inputs(const std::string& kind) {
  return is_scaled_layer(kind) ? kScaledInputs : QuantisedInputs{};
}

GraphNode plain_layer(const GraphNode& node) {
  const QuantisedInputs at = quantised_inputs(node.kind);
  GraphNode plain = node;
  plain.kind = is_conv(node.kind) ? "Conv" : "Product";
  const auto input = [&](std::size_t i) { return i < node.inputs.size() ? node.inputs[i] : -1; };
  plain.inputs = {input(at.input), input(at.weights)};
  return plain;
}

std::vector<float> combined_scales(float input, const std::vector<double>& weights, float output) {
  std::vector<float> scales(weights.size());
  for (std::size_t k = 0; k < scales.size(); ++k) {
    scales[k] = input * static_cast<float>(weights[k]);
    scales[k] /= output;
  }
  return scales;
}

DynamicScale dynamic_scale(const float* numbers, std::int64_t count) {
  constexpr float kMost = 255;
  const auto [least, most] = std::minmax_element(numbers, numbers + count);
  const float low = std::min(0.0F, *least), high = std::max(0.0F, *most);
  if (low == high) return {};
  const float scale = (high - low) / kMost;
  return {.scale = scale, .zero_point = quantised<std::uint8_t>(-low / scale, 0)};
}

}  // namespace tileplan
