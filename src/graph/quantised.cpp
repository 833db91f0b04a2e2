// SPDX-License-Identifier: Apache-2.0
// Layers subtract zero points first. What is left is a convolution or a product of small integers,
// whose sums are exact in double precision.
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

/// Throws unless input `i`, if it exists, has one number or, if `channels` is not 1, so many.
void require_numbers(const NodeView& node, std::size_t i, std::int64_t channels,
                     const char* per_row = nullptr) {
  if (!node.has_input(i)) return;
  const std::int64_t count = elements_of(node.shape(i));
  if (count != 1 && per_row) throw NotUnderstood{per_row};
  node.require(count == 1 || count == channels,
               "input " + std::to_string(i + 1) + " has " + std::to_string(count) +
                   " numbers; must have 1 or " + std::to_string(channels));
}

void require_type(const NodeView& node, std::size_t i, const std::string& type) {
  if (node.has_input(i) && node.input(i).type != type)
    throw NotUnderstood{"input " + node.input(i).name + " of " + node.input(i).type +
                        "; must be of " + type};
}

OutputType layer_type(const NodeView& node) {
  const QuantisedInputs at = quantised_inputs(node.kind());
  for (const std::size_t i : {at.input, at.weights})
    if (!is_byte_type(node.input(i).type))
      throw NotUnderstood{"tensors of " + node.input(at.input).type + " and " +
                          node.input(at.weights).type + "; must be of u8 or s8"};
  const GraphNode plain = plain_layer(node.node());
  const OutputType sums = output_types(NodeView(node.graph(), plain)).front();
  const std::int64_t channels = layer_channels(node);
  constexpr const char* kRows = "zero points or scales per row of A";
  require_numbers(node, at.input_zero, 1, is_conv(node.kind()) ? nullptr : kRows);
  require_numbers(node, at.input_scale, 1, is_conv(node.kind()) ? nullptr : kRows);
  require_numbers(node, at.weights_zero, channels);
  require_numbers(node, at.weights_scale, channels);
  require_type(node, at.input_zero, node.input(at.input).type);
  require_type(node, at.weights_zero, node.input(at.weights).type);
  if (!is_scaled_layer(node.kind())) return {.shape = sums.shape, .type = "s32"};
  for (const std::size_t i : {at.input_scale, at.weights_scale, at.output_scale})
    if (node.input(i).type != "FLOAT16") require_type(node, i, "f32");  // f32 has all its numbers.
  require_numbers(node, at.output_scale, 1, is_conv(node.kind()) ? nullptr : kRows);
  require_numbers(node, at.output_zero, 1, is_conv(node.kind()) ? nullptr : kRows);
  if (node.has_input(at.bias))
    node.require(elements_of(node.shape(at.bias)) == channels,
                 "the bias is " + shape_text(node.shape(at.bias)) + "; must have " +
                     std::to_string(channels) + " numbers");
  const std::string type = node.input(at.output_zero).type;
  if (!is_byte_type(type)) throw NotUnderstood{"an output of " + type + "; must be of u8 or s8"};
  return {.shape = sums.shape, .type = type};
}

/// Returns the axis of the channels of a QuantizeLinear or DequantizeLinear whose scale is a list.
std::size_t scale_axis(const NodeView& node) {
  return node.axis(node.integer("axis", 1), node.shape(0).size());
}

OutputType quantisation_type(const NodeView& node) {
  const bool to_bytes = node.kind() == "QuantizeLinear";
  require_type(node, 1, "f32");
  if (node.integer("block_size", 0) != 0 || node.shape(1).size() > 1)
    throw NotUnderstood{"scales per block"};
  const bool per_channel = elements_of(node.shape(1)) != 1;
  const std::int64_t channels = per_channel ? node.shape(0)[scale_axis(node)] : 1;
  require_numbers(node, 1, channels);
  require_numbers(node, 2, channels);
  const std::string type = !to_bytes           ? node.input(0).type
                           : node.has_input(2) ? node.input(2).type
                                               : "u8";
  const bool is_s32 = !to_bytes && (type == "s32" || type == "i64");
  if (!is_byte_type(type) && !is_s32)
    throw NotUnderstood{node.kind() + " of " + type + "; must be of u8 or s8"};
  if (to_bytes) require_type(node, 0, "f32");
  if (node.integer("output_dtype", 0) != 0 && !node.has_input(2))
    throw NotUnderstood{"output_dtype without a zero point"};
  return {.shape = node.shape(0), .type = to_bytes ? type : "f32"};
}

/// Returns number `i` of a list, or the only one.
template <class Number>
Number at_or_only(const std::vector<Number>& list, std::size_t i) {
  return list[list.size() == 1 ? 0 : i];
}

/// Returns the numbers of input `i` in double precision, or {0} when it is missing.
std::vector<double> doubles_of(const PlainInputs& inputs, std::size_t i) {
  if (i >= inputs.size() || !inputs[i]) return {0};
  return std::visit([](const auto& list) { return std::vector<double>(list.begin(), list.end()); },
                    *inputs[i]);
}

/// Returns each element of input `i` minus the zero point of its channel. Channels are `inner`
/// elements long, and there are `channels` of them.
std::vector<float> moved(const PlainInputs& inputs, std::size_t i,
                         const std::vector<double>& zero_points, std::int64_t inner,
                         std::int64_t channels) {
  std::vector<double> numbers = doubles_of(inputs, i);
  std::vector<float> result(numbers.size());
  for (std::int64_t e = 0; e < std::ssize(numbers); ++e)
    result[static_cast<std::size_t>(e)] =
        static_cast<float>(numbers[static_cast<std::size_t>(e)] -
                           at_or_only(zero_points, static_cast<std::size_t>(e / inner % channels)));
  return result;
}

std::int32_t wrapped(double sum) {
  return static_cast<std::int32_t>(
      static_cast<std::uint32_t>(static_cast<std::uint64_t>(static_cast<std::int64_t>(sum))));
}

/// Returns the number of neighbouring weights of one output channel.
std::int64_t weights_of_channel(const NodeView& layer, std::int64_t channels) {
  if (layer.kind() == "Conv") return elements_of(layer.shape(1)) / channels;
  const Product product = product_of(layer);
  return product.b_transposed ? product.k : 1;
}

template <class Number>
std::vector<Number> requantised(const NodeView& node, const PlainInputs& inputs,
                                const std::vector<double>& sums, std::int64_t output_inner) {
  const QuantisedInputs at = quantised_inputs(node.kind());
  const auto scale = [&](std::size_t i) { return static_cast<float>(doubles_of(inputs, i)[0]); };
  const std::vector<float> scales = combined_scales(
      scale(at.input_scale), doubles_of(inputs, at.weights_scale), scale(at.output_scale));
  const auto zero_point = static_cast<std::int32_t>(doubles_of(inputs, at.output_zero)[0]);
  const std::vector<double> bias = doubles_of(inputs, at.bias);
  const std::int64_t channels = layer_channels(node);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto low = static_cast<float>(node.real("low", -kInfinity));
  const auto high = static_cast<float>(node.real("high", kInfinity));
  std::vector<Number> out(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const auto k = static_cast<std::size_t>(static_cast<std::int64_t>(i) / output_inner % channels);
    float value = static_cast<float>(wrapped(sums[i] + at_or_only(bias, k)));
    value *= at_or_only(scales, k);
    out[i] = quantised<Number>(std::clamp(value, low, high), zero_point);
  }
  return out;
}

Numbers compute_layer(const NodeView& node, const PlainInputs& inputs) {
  const QuantisedInputs at = quantised_inputs(node.kind());
  const GraphNode plain = plain_layer(node.node());
  const NodeView layer(node.graph(), plain);
  const std::int64_t channels = layer_channels(node);
  const std::vector<float> in = moved(inputs, at.input, doubles_of(inputs, at.input_zero), 1, 1);
  const std::vector<float> weights = moved(inputs, at.weights, doubles_of(inputs, at.weights_zero),
                                           weights_of_channel(layer, channels), channels);
  const bool is_conv = layer.kind() == "Conv";
  const std::vector<double> sums = is_conv ? conv_sums(layer, in.data(), weights.data())
                                           : product_sums(layer, in.data(), weights.data());
  const std::int64_t inner =
      is_conv ? std::ssize(sums) / (layer.shape(0)[0] * channels) : std::int64_t{1};
  if (!is_scaled_layer(node.kind())) {
    std::vector<std::int32_t> out(sums.size());
    std::ranges::transform(sums, out.begin(), wrapped);
    return out;
  }
  if (node.input(at.output_zero).type == "u8")
    return requantised<std::uint8_t>(node, inputs, sums, inner);
  return requantised<std::int8_t>(node, inputs, sums, inner);
}

template <class Number>
std::vector<Number> quantised_list(const PlainInputs& inputs, std::int64_t inner) {
  const std::vector<double> scales = doubles_of(inputs, 1), points = doubles_of(inputs, 2);
  const std::vector<float>& in = floats_of(inputs, 0);
  std::vector<Number> out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::size_t channel = i / static_cast<std::size_t>(inner) % scales.size();
    out[i] = quantised<Number>(in[i] / static_cast<float>(scales[channel]),
                               static_cast<std::int32_t>(at_or_only(points, channel)));
  }
  return out;
}

Numbers compute_quantisation(const NodeView& node, const PlainInputs& inputs) {
  const Extents& shape = node.shape(0);
  const bool per_channel = elements_of(node.shape(1)) != 1;
  const std::int64_t inner = per_channel ? row_major(shape)[scale_axis(node)] : 1;
  if (node.kind() == "QuantizeLinear") {
    if (!node.has_input(2) || node.input(2).type == "u8")
      return quantised_list<std::uint8_t>(inputs, inner);
    return quantised_list<std::int8_t>(inputs, inner);
  }
  const std::vector<double> in = doubles_of(inputs, 0), scales = doubles_of(inputs, 1),
                            points = doubles_of(inputs, 2);
  std::vector<float> out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::size_t channel = i / static_cast<std::size_t>(inner) % scales.size();
    out[i] = static_cast<float>(in[i] - at_or_only(points, channel)) *
             static_cast<float>(scales[channel]);
  }
  return out;
}

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

std::int64_t layer_channels(const NodeView& node) {
  const GraphNode plain = plain_layer(node.node());
  const NodeView layer(node.graph(), plain);
  return plain.kind == "Conv" ? layer.shape(1)[0] : product_of(layer).n;
}

OutputType quantised_type(const NodeView& node) {
  return is_quantisation(node.kind()) ? quantisation_type(node) : layer_type(node);
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

std::vector<Numbers> compute_dynamic(const PlainInputs& inputs) {
  const std::vector<float>& in = floats_of(inputs, 0);
  const DynamicScale chosen = dynamic_scale(in.data(), std::ssize(in));
  std::vector<std::uint8_t> out(in.size());
  std::ranges::transform(in, out.begin(), [&](float x) {
    return quantised<std::uint8_t>(x / chosen.scale, chosen.zero_point);
  });
  return {std::move(out), std::vector<float>{chosen.scale},
          std::vector<std::uint8_t>{chosen.zero_point}};
}

Numbers compute_quantised(const NodeView& node, const PlainInputs& inputs) {
  return is_quantisation(node.kind()) ? compute_quantisation(node, inputs)
                                      : compute_layer(node, inputs);
}

}  // namespace tileplan
