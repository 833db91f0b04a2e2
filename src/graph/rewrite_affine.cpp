// SPDX-License-Identifier: Apache-2.0
// This file turns arithmetic with constants per channel, such as batch normalisation, into Affine
// nodes, x * scale + shift. It merges them with each other and into convolutions and products.
#include <algorithm>
#include <cmath>

#include "operators.h"
#include "rewrite.h"

namespace tileplan {
namespace {

using Reals = std::optional<std::vector<float>>;

/// Describes a function x * scale + shift with one scale and shift per channel of `axis`. The
/// numbers are absent when they depend on a constant whose numbers are unknown.
struct AffineOf {
  int input = -1;
  std::size_t axis = 1;
  std::int64_t channels = 1;
  Reals scale = {}, shift = {};
};

/// Returns one number per channel from a constant that holds one number for all channels or one per
/// channel. Returns nothing when the constant is empty, or has no known numbers of f32.
Reals spread(const GraphValue& constant, std::int64_t channels) {
  const std::vector<float>* numbers = float_numbers(constant);
  if (!numbers || numbers->empty()) return std::nullopt;
  const auto count = static_cast<std::size_t>(channels);
  return numbers->size() == 1 ? std::vector<float>(count, numbers->front()) : *numbers;
}

/// Returns the axis of a tensor of shape `out` along which a constant of shape `shape` varies.
/// Returns `otherwise` when the constant does not vary. Returns nothing when it varies along
/// several axes or does not fit `out`.
std::optional<std::size_t> only_axis(const Extents& shape, const Extents& out,
                                     std::size_t otherwise) {
  if (shape.size() > out.size()) return std::nullopt;
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) continue;
    const std::size_t axis = out.size() - shape.size() + i;
    if (found || shape[i] != out[axis]) return std::nullopt;
    found = axis;
  }
  return found.value_or(otherwise);
}

/// Sets scale and shift for an Add, Sub, Mul or Div with `numbers`. Both stay empty if the numbers
/// are unknown.
void set_factors(AffineOf& affine, const std::string& kind, Reals numbers) {
  if (!numbers) return;
  for (float& number : *numbers) {
    if (kind == "Sub") number = -number;
    if (kind == "Div") number = 1 / number;
  }
  const bool scales = kind == "Mul" || kind == "Div";
  affine.scale = scales ? *numbers : std::vector<float>(numbers->size(), 1);
  affine.shift = scales ? std::vector<float>(numbers->size()) : std::move(*numbers);
}

/// Returns the affine function of an Add, Sub, Mul or Div of reals with a constant, or nothing.
std::optional<AffineOf> affine_of_binary(Rewriter& graph, const GraphNode& node) {
  const std::size_t constant = graph.value(node.inputs[1]).constant ? 1 : 0;
  const GraphValue& other = graph.value(node.inputs[constant]);
  AffineOf affine{.input = node.inputs[1 - constant]};
  const GraphValue& in = graph.value(affine.input);
  if (in.type != "f32") return std::nullopt;
  const bool is_commutative = node.kind == "Add" || node.kind == "Mul";
  if (!other.constant || in.constant || !other.shape || !in.shape || in.shape->empty() ||
      (constant == 0 && !is_commutative) || in.shape != graph.value(node.outputs[0]).shape)
    return std::nullopt;
  const int writer = graph.writer(affine.input);
  const bool is_last = in.shape->size() < 2 || (writer >= 0 && is_product(graph.node(writer).kind));
  const auto axis = only_axis(*other.shape, *in.shape, is_last ? in.shape->size() - 1 : 1);
  if (!axis || *axis == 0) return std::nullopt;
  affine.axis = *axis;
  affine.channels = (*in.shape)[*axis];
  set_factors(affine, node.kind, spread(other, affine.channels));
  return affine;
}

/// Returns the affine function of a BatchNormalization with constant parameters, or nothing.
std::optional<AffineOf> affine_of_normalization(Rewriter& graph, const GraphNode& node) {
  for (std::size_t i = 1; i < 5; ++i)
    if (!graph.value(node.inputs[i]).constant) return std::nullopt;
  if (graph.value(node.inputs[0]).type != "f32") return std::nullopt;
  AffineOf affine{.input = node.inputs[0]};
  affine.channels = (*graph.value(affine.input).shape)[1];
  const auto numbers = [&](std::size_t i) { return float_numbers(graph.value(node.inputs[i])); };
  if (!numbers(1) || !numbers(2) || !numbers(3) || !numbers(4)) return affine;
  const double epsilon = NodeView(graph.graph(), node).real("epsilon", 1e-5);
  affine.scale.emplace();
  affine.shift.emplace();
  for (std::size_t c = 0; c < numbers(1)->size(); ++c) {
    const double scale = static_cast<double>((*numbers(1))[c]) /
                         std::sqrt(static_cast<double>((*numbers(4))[c]) + epsilon);
    affine.scale->push_back(static_cast<float>(scale));
    affine.shift->push_back(static_cast<float>(static_cast<double>((*numbers(2))[c]) -
                                               static_cast<double>((*numbers(3))[c]) * scale));
  }
  return affine;
}

void become_affine(Rewriter& graph, int at, AffineOf affine) {
  const std::string name = graph.node(at).name, kind = graph.node(at).kind;
  while (graph.node(at).inputs.size() > 1) {
    graph.set_input(at, graph.node(at).inputs.size() - 1, -1);
    graph.node(at).inputs.pop_back();
  }
  graph.set_input(at, 0, affine.input);
  graph.set_input(at, 1,
                  graph.add_constant(name + " scale", {affine.channels}, std::move(affine.scale)));
  graph.set_input(at, 2,
                  graph.add_constant(name + " shift", {affine.channels}, std::move(affine.shift)));
  GraphNode& node = graph.node(at);
  node.kind = "Affine";
  node.outputs.resize(1);
  node.attributes = {{"axis", static_cast<std::int64_t>(affine.axis)}, {"was", kind}};
}

/// Replaces the constants for scale and shift of the Affine node `at`. Without a value of `scale`
/// or `shift`, the numbers of that constant stay unknown.
void set_numbers(Rewriter& graph, int at, Reals scale, Reals shift) {
  const std::string name = graph.node(at).name;
  const Extents shape = *graph.value(graph.node(at).inputs[1]).shape;
  graph.set_input(at, 1, graph.add_constant(name + " scale", shape, std::move(scale)));
  graph.set_input(at, 2, graph.add_constant(name + " shift", shape, std::move(shift)));
}

/// Merges the Affine node `next` into the Affine node `at`, whose result `next` reads.
void compose(Rewriter& graph, int at, int next) {
  const auto numbers = [&](int node, std::size_t i) {
    return float_numbers(graph.value(graph.node(node).inputs[i]));
  };
  Reals scale, shift;
  if (numbers(at, 1) && numbers(at, 2) && numbers(next, 1) && numbers(next, 2)) {
    scale = *numbers(at, 1);
    shift = *numbers(at, 2);
    for (std::size_t c = 0; c < scale->size(); ++c) {
      (*scale)[c] *= (*numbers(next, 1))[c];
      (*shift)[c] = (*shift)[c] * (*numbers(next, 1))[c] + (*numbers(next, 2))[c];
    }
  }
  set_numbers(graph, at, std::move(scale), std::move(shift));
  graph.absorb(at, next);
}

/// Returns the weights after output channel k is multiplied by scale[k], or nothing when their
/// numbers are unknown. The channel is the first axis of the weights of a convolution. In a
/// product, it is the column of B, or the row of B with the attribute transB.
Reals scaled_weights(const NodeView& node, const std::vector<float>& scale) {
  const std::vector<float>* numbers = float_numbers(node.input(1));
  if (!numbers) return std::nullopt;
  std::vector<float> scaled = *numbers;
  const bool rows = node.kind() == "Conv" || node.integer("transB", 0) != 0;
  const std::size_t inner = rows ? scaled.size() / scale.size() : 1;
  for (std::size_t i = 0; i < scaled.size(); ++i) scaled[i] *= scale[i / inner % scale.size()];
  return scaled;
}

/// Returns true when the Affine node `affine` can be merged into the weights of the Conv or Product
/// `node`.
bool can_join(Rewriter& graph, const GraphNode& node, const GraphNode& affine) {
  const std::size_t axis = NodeView(graph.graph(), affine)
                               .axis(NodeView(graph.graph(), affine).integer("axis", 1),
                                     graph.value(node.outputs[0]).shape->size());
  if (!graph.value(node.inputs[1]).constant || node.inputs.size() > 3) return false;
  if (node.inputs.size() > 2 && node.inputs[2] >= 0 && !graph.value(node.inputs[2]).constant)
    return false;
  if (node.kind == "Conv") return axis == 1;
  return node.kind == "Product" && graph.value(node.inputs[1]).shape->size() == 2 &&
         axis + 1 == graph.value(node.outputs[0]).shape->size();
}

/// Multiplies the weights and the bias of node `at` by the scale of the Affine node `next`, and
/// adds the shift to the bias. Then removes `next`.
void join(Rewriter& graph, int at, int next) {
  const std::vector<float>* scale = float_numbers(graph.value(graph.node(next).inputs[1]));
  const std::vector<float>* shift = float_numbers(graph.value(graph.node(next).inputs[2]));
  const Extents weights_shape = *graph.value(graph.node(at).inputs[1]).shape;
  const Extents bias_shape = *graph.value(graph.node(next).inputs[1]).shape;
  const std::string name = graph.node(at).name;
  const bool has_bias = graph.node(at).inputs.size() > 2 && graph.node(at).inputs[2] >= 0;
  Reals new_weights, bias;
  if (scale && shift) {
    new_weights = scaled_weights(NodeView(graph.graph(), graph.node(at)), *scale);
    bias = *shift;
    const auto* old = has_bias ? float_numbers(graph.value(graph.node(at).inputs[2])) : nullptr;
    if (has_bias && !old) bias.reset();
    for (std::size_t c = 0; old && c < old->size(); ++c) (*bias)[c] += (*old)[c] * (*scale)[c];
  }
  const bool scales =
      !scale || std::any_of(scale->begin(), scale->end(), [](float each) { return each != 1; });
  if (scales)
    graph.set_input(at, 1,
                    graph.add_constant(name + " weights", weights_shape, std::move(new_weights)));
  graph.set_input(at, 2, graph.add_constant(name + " bias", bias_shape, std::move(bias)));
  graph.absorb(at, next);
}

}  // namespace

void make_affine(Rewriter& graph) {
  for (int at = 0; at < graph.nodes(); ++at) {
    if (graph.is_removed(at) || !graph.node(at).not_understood.empty()) continue;
    std::optional<AffineOf> affine;
    if (is_binary(graph.node(at).kind)) affine = affine_of_binary(graph, graph.node(at));
    if (graph.node(at).kind == "BatchNormalization")
      affine = affine_of_normalization(graph, graph.node(at));
    if (affine) become_affine(graph, at, std::move(*affine));
  }
}

namespace {

/// Merges into node `at` the Affine node that is its only reader. Returns false if no such node
/// fits.
bool join_next(Rewriter& graph, int at) {
  const int next = graph.only_reader(graph.node(at).outputs[0]);
  if (next < 0 || graph.node(next).kind != "Affine") return false;
  const GraphNode& node = graph.node(at);
  if (node.kind == "Affine") {
    if (node.attributes.at("axis") != graph.node(next).attributes.at("axis")) return false;
    compose(graph, at, next);
    return true;
  }
  if (node.kind != "Conv" && node.kind != "Product") return false;
  if (!can_join(graph, node, graph.node(next))) return false;
  join(graph, at, next);
  return true;
}

}  // namespace

void join_affine(Rewriter& graph) {
  for (int at = 0; at < graph.nodes(); ++at) {
    if (graph.is_removed(at) || !graph.node(at).not_understood.empty()) continue;
    while (join_next(graph, at)) continue;
  }
}

}  // namespace tileplan
