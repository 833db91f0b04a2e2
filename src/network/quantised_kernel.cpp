// SPDX-License-Identifier: Apache-2.0
// A run may compute the zero point of the input. All other zero points, scales, biases and weights
// are constants of the graph, so they are prepared when the network is compiled.
#include "quantised_kernel.h"

#include "operators.h"
#include "quantised.h"

namespace tileplan {
namespace {

/// Returns the zero points of the weights as bytes of the type of the weights. Depending on
/// `granularity`, the list has no zero point, only the first one, or all.
std::vector<std::uint8_t> zero_points_of(const NodeView& node, Granularity granularity) {
  if (granularity == Granularity::none) return {};
  const std::vector<double> points = *node.reals_at(quantised_inputs(node.kind()).weights_zero);
  std::vector<std::uint8_t> bytes;
  bytes.reserve(points.size());
  for (const double point : points)
    bytes.push_back(static_cast<std::uint8_t>(static_cast<std::int32_t>(point)));
  if (granularity == Granularity::tensor) bytes.resize(1);
  return bytes;
}

template <class Number>
std::vector<Number> transposed(const std::vector<Number>& from, const Product& product) {
  std::vector<Number> to(from.size());
  for (std::int64_t j = 0; j < product.n; ++j)
    for (std::int64_t k = 0; k < product.k; ++k)
      to[static_cast<std::size_t>(k * product.n + j)] =
          from[static_cast<std::size_t>(j * product.k + k)];
  return to;
}

Packed packed_weights(const Kernel& kernel, const NodeView& node) {
  const GraphValue& value = node.input(quantised_inputs(node.kind()).weights);
  if (!value.numbers)
    node.refuse("constant " + value.name +
                " has no numbers in the file; it must have them to be run");
  const std::vector<std::uint8_t> points =
      zero_points_of(node, kernel.epilogue().quantisation.weights_zero_points);
  const ConstElements zero_points(points.data(), points.size(), kernel.types().weights);
  const GraphNode plain = plain_layer(node.node());
  const NodeView layer(node.graph(), plain);
  const bool turned = plain.kind != "Conv" && product_of(layer).b_transposed;
  const auto pack = [&](const auto& numbers) {
    if (turned) return kernel.pack_weights(transposed(numbers, product_of(layer)), zero_points);
    return kernel.pack_weights(numbers, zero_points);
  };
  if (const auto* bytes = std::get_if<std::vector<std::uint8_t>>(value.numbers.get()))
    return pack(*bytes);
  return pack(std::get<std::vector<std::int8_t>>(*value.numbers));
}

/// Holds the scales, zero points and biases that a run passes to the kernel in addition to its
/// tensors.
struct LayerNumbers {
  std::vector<float> scales = {};
  std::vector<std::int32_t> bias = {};
  std::int32_t input_zero_point = 0, output_zero_point = 0;
  /// If `reads_zero_point` is true, the network computes the zero point of the input while it runs.
  bool reads_zero_point = false, is_signed = false;

  std::int32_t input_point(const void* computed) const {
    if (!reads_zero_point) return input_zero_point;
    if (is_signed) return *static_cast<const std::int8_t*>(computed);
    return *static_cast<const std::uint8_t*>(computed);
  }
};

LayerNumbers numbers_of(const Kernel& kernel, const NodeView& node) {
  const QuantisedInputs at = quantised_inputs(node.kind());
  const Quantisation& names = kernel.epilogue().quantisation;
  LayerNumbers numbers{.is_signed = kernel.types().input == ElementType::s8};
  numbers.reads_zero_point = names.input_zero_point && !node.input(at.input_zero).numbers;
  if (names.input_zero_point && !numbers.reads_zero_point)
    numbers.input_zero_point = static_cast<std::int32_t>(node.reals_at(at.input_zero)->front());
  if (!is_scaled_layer(node.kind())) return numbers;
  const auto scale = [&](std::size_t i) { return static_cast<float>(node.reals_at(i)->front()); };
  numbers.scales = combined_scales(scale(at.input_scale), *node.reals_at(at.weights_scale),
                                   scale(at.output_scale));
  if (names.scales == Granularity::tensor) numbers.scales.resize(1);
  numbers.output_zero_point = static_cast<std::int32_t>(node.reals_at(at.output_zero)->front());
  if (const auto bias = node.reals_at(at.bias))
    for (const double each : *bias) numbers.bias.push_back(static_cast<std::int32_t>(each));
  return numbers;
}

}  // namespace

Operation quantised_kernel(const Kernel& kernel, const NodeView& node) {
  const QuantisedInputs at = quantised_inputs(node.kind());
  const auto weights = std::make_shared<const Packed>(packed_weights(kernel, node));
  const auto numbers = std::make_shared<const LayerNumbers>(numbers_of(kernel, node));
  return [kernel, weights, numbers, zero = at.input_zero](const StepTensors& t) {
    const TensorTypes types = kernel.types();
    Addends addends{
        .requantisation = {.scales = numbers->scales, .zero_point = numbers->output_zero_point}};
    addends.bias = numbers->bias;
    addends.input_zero_point =
        numbers->input_point(numbers->reads_zero_point ? t.in[zero] : nullptr);
    kernel.run(ConstElements(t.in[0], kernel.input_size(), types.input), *weights,
               Elements(t.out[0], kernel.output_size(), types.output), addends);
  };
}

}  // namespace tileplan
