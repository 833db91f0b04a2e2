// SPDX-License-Identifier: Apache-2.0
// This file computes operators on quantised tensors. Layers subtract zero points first. A
// convolution or a product of small integers follows, whose sums are exact in double precision.
#include <algorithm>

#include "operators.h"
#include "plain_graph.h"
#include "quantised.h"

namespace tileplan {
namespace {

/// Returns number `i` of a list, or the only number if the list has one.
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

/// Returns each element of input `i` minus the zero point of its channel. There are `channels`
/// channels of `inner` contiguous elements each.
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

/// Returns the number of contiguous weights that belong to one output channel.
std::int64_t weights_of_channel(const NodeView& layer, std::int64_t channels) {
  if (layer.kind() == "Conv")
    return elements_of(layer.shape(1)) / std::max<std::int64_t>(1, channels);
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
  const std::int64_t planes = is_conv ? layer.shape(0)[0] * channels : std::ssize(sums);
  const std::int64_t inner = std::ssize(sums) / std::max<std::int64_t>(1, planes);
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
