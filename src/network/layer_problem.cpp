// SPDX-License-Identifier: Apache-2.0
// The shapes, types, strides, paddings and dilations of a node become its problem. Its factor,
// bias, residual, limits, activation and quantisation become its epilogue.
#include "layer_problem.h"

#include <algorithm>
#include <array>
#include <limits>

#include "elementwise.h"
#include "operators.h"
#include "quantised.h"
#include "shape_rules.h"

namespace tileplan {
namespace {

ElementType element_type(const NodeView& node) {
  const std::string &first = node.input(0).type, &second = node.input(1).type;
  if (first == second && first == "f32") return ElementType::f32;
  if (first == second && first == "f64") return ElementType::f64;
  throw NotUnderstood{"tensors of " + first + " and " + second + "; must both be f32 or f64"};
}

Problem conv_problem(const NodeView& node, const TensorTypes& types) {
  const Extents &in = node.shape(0), &weights = node.shape(1);
  if (in.size() > 5) throw NotUnderstood{"a convolution over other than 1 to 3 axes"};
  ConvShape shape{
      .n = in[0], .g = node.integer("group", 1), .c = in[1], .k = weights[0], .types = types};
  const std::array<Axis*, 3> targets{&shape.width, &shape.height, &shape.depth};
  std::vector<Axis> axes = windows_of(node, {weights.begin() + 2, weights.end()});
  for (std::size_t i = 0; i < axes.size(); ++i) {
    // The last dimension is the width, and the spatial axes are filled from the end.
    Axis& axis = axes[axes.size() - 1 - i];
    const Exact needed = padding_needed(axis);
    axis.pad_after = needed.fits() ? std::max<std::int64_t>(0, needed.value()) : 0;
    *targets[i] = axis;
  }
  return shape;
}

/// Throws NotUnderstood with the reason why a Gemm did not become a Product.
[[noreturn]] void explain_gemm(const NodeView& node) {
  if (node.integer("transB", 0) != 0 && !node.input(1).constant)
    throw NotUnderstood{"B is transposed and no constant, which could be packed beforehand"};
  if (node.has_input(2) && node.real("beta", 1) != 1) throw NotUnderstood{"beta is not 1"};
  throw NotUnderstood{"C is neither a bias nor of the shape of the output"};
}

Problem product_problem(const NodeView& node, const TensorTypes& types) {
  if (node.kind() == "Gemm") explain_gemm(node);
  const Product product = product_of(node);
  GemmShape shape{.b = product.batches, .m = product.m, .n = product.n, .k = product.k};
  shape.types = types;
  shape.ta = product.a_transposed;
  shape.lda = shape.ta ? shape.m : shape.k;
  shape.ldb = shape.ldc = shape.n;
  return shape;
}

}  // namespace

bool is_layer(const GraphNode& node) {
  return node.kind == "Conv" || is_product(node.kind) || is_quantised_layer(node.kind);
}

namespace {

ElementType byte_type(const std::string& type) {
  return type == "u8" ? ElementType::u8 : ElementType::s8;
}

/// Returns how many numbers of a list a kernel needs: none if the list is empty or all its numbers
/// equal `neutral`, one if all equal another number, and otherwise one per channel.
Granularity granularity_of(const std::vector<double>& numbers, double neutral) {
  if (numbers.empty()) return Granularity::none;
  const bool equal = std::ranges::all_of(numbers, [&](double each) { return each == numbers[0]; });
  if (!equal) return Granularity::channel;
  return numbers[0] == neutral ? Granularity::none : Granularity::tensor;
}

/// Returns which scales and zero points a kernel of a quantised layer needs. The network may
/// compute the zero point of the input. Throws NotUnderstood unless the weights are constant and
/// all other numbers are known.
Quantisation quantisation_of(const NodeView& node) {
  const QuantisedInputs at = quantised_inputs(node.kind());
  Quantisation names;
  if (!node.input(at.weights).constant) throw NotUnderstood{"the weights are no constants"};
  const bool is_known = node.has_input(at.input_zero) && node.input(at.input_zero).numbers;
  names.input_zero_point =
      node.has_input(at.input_zero) &&
      (!is_known || granularity_of(*node.reals_at(at.input_zero), 0) != Granularity::none);
  if (const auto points = node.reals_at(at.weights_zero))
    names.weights_zero_points = granularity_of(*points, 0);
  if (!is_scaled_layer(node.kind())) return names;
  node.reals_at(at.input_scale);
  node.reals_at(at.output_scale);
  const Granularity scales = granularity_of(*node.reals_at(at.weights_scale), 0);
  names.scales = scales == Granularity::channel ? scales : Granularity::tensor;
  names.output_zero_point = node.reals_at(at.output_zero)->front() != 0;
  node.reals_at(at.bias);
  return names;
}

LayerProblem quantised_problem(const NodeView& node) {
  const QuantisedInputs at = quantised_inputs(node.kind());
  const GraphNode plain = plain_layer(node.node());
  const NodeView layer(node.graph(), plain);
  const ElementType output =
      is_scaled_layer(node.kind()) ? byte_type(node.input(at.output_zero).type) : ElementType::s32;
  const TensorTypes types{byte_type(node.input(at.input).type),
                          byte_type(node.input(at.weights).type), output};
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return {
      .problem = plain.kind == "Conv" ? conv_problem(layer, types) : product_problem(layer, types),
      .epilogue = {.low = node.real("low", -kInfinity),
                   .high = node.real("high", kInfinity),
                   .bias = node.has_input(at.bias),
                   .quantisation = quantisation_of(node)}};
}

LayerProblem plain_problem(const NodeView& node) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const TensorTypes types = element_type(node);
  return {
      .problem = node.kind() == "Conv" ? conv_problem(node, types) : product_problem(node, types),
      .epilogue = {.low = node.real("low", -kInfinity),
                   .high = node.real("high", kInfinity),
                   .alpha = is_product(node.kind()) ? node.real("alpha", 1) : 1,
                   .bias = node.has_input(2),
                   .add = node.has_input(3),
                   .activation = activation_of(node)}};
}

}  // namespace

LayerProblem layer_problem(const NodeView& node) {
  if (!node.node().not_understood.empty()) throw NotUnderstood{node.node().not_understood};
  LayerProblem layer =
      is_quantised_layer(node.kind()) ? quantised_problem(node) : plain_problem(node);
  try {
    validate(layer.problem);
  } catch (const Error& error) {
    throw NotUnderstood{error.what()};
  }
  return layer;
}

}  // namespace tileplan
