// SPDX-License-Identifier: Apache-2.0
// The shapes of the node become the extents of the problem, and its further inputs the epilogue.
#include "layer_problem.h"

#include <algorithm>
#include <array>
#include <limits>

#include "operators.h"
#include "shape_rules.h"

namespace tileplan {
namespace {

ElementType element_type(const NodeView& node) {
  const std::string &first = node.input(0).type, &second = node.input(1).type;
  if (first == second && first == "f32") return ElementType::f32;
  if (first == second && first == "f64") return ElementType::f64;
  throw NotUnderstood{"tensors of " + first + " and " + second + "; must both be f32 or f64"};
}

Problem conv_problem(const NodeView& node) {
  const Extents &in = node.shape(0), &weights = node.shape(1);
  if (in.size() > 5) throw NotUnderstood{"a convolution over other than 1 to 3 axes"};
  ConvShape shape{.n = in[0],
                  .g = node.integer("group", 1),
                  .c = in[1],
                  .k = weights[0],
                  .types = element_type(node)};
  const std::array<Axis*, 3> targets{&shape.width, &shape.height, &shape.depth};
  std::vector<Axis> axes = windows_of(node, {weights.begin() + 2, weights.end()});
  for (std::size_t i = 0; i < axes.size(); ++i) {
    Axis& axis = axes[axes.size() - 1 - i];  // The width is the last dimension.
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

Problem product_problem(const NodeView& node) {
  if (node.kind() == "Gemm") explain_gemm(node);
  const Product product = product_of(node);
  GemmShape shape{.b = product.batches, .m = product.m, .n = product.n, .k = product.k};
  shape.types = element_type(node);
  shape.ta = product.a_transposed;
  shape.lda = shape.ta ? shape.m : shape.k;
  shape.ldb = shape.ldc = shape.n;
  return shape;
}

}  // namespace

bool is_layer(const GraphNode& node) { return node.kind == "Conv" || is_product(node.kind); }

LayerProblem layer_problem(const NodeView& node) {
  if (!node.node().not_understood.empty()) throw NotUnderstood{node.node().not_understood};
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  LayerProblem layer{.problem = node.kind() == "Conv" ? conv_problem(node) : product_problem(node),
                     .epilogue = {.low = node.real("low", -kInfinity),
                                  .high = node.real("high", kInfinity),
                                  .alpha = is_product(node.kind()) ? node.real("alpha", 1) : 1,
                                  .bias = node.has_input(2),
                                  .add = node.has_input(3)}};
  try {
    validate(layer.problem);
  } catch (const Error& error) {
    throw NotUnderstood{error.what()};
  }
  return layer;
}

}  // namespace tileplan
