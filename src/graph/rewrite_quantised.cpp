// SPDX-License-Identifier: Apache-2.0
// This file turns convolutions and products between DequantizeLinear and QuantizeLinear into
// quantised layers.
#include <cmath>

#include "elementwise.h"
#include "quantised.h"
#include "rewrite.h"

namespace tileplan {
namespace {

/// Holds the positions of the nodes that together form a quantised layer: a layer in f32 between
/// DequantizeLinear and QuantizeLinear. `bias` and `limits` are -1 when there are none.
struct Pattern {
  int layer = -1, quantise = -1, limits = -1;
  /// These DequantizeLinear nodes convert the operands of the layer.
  int input = -1, weights = -1, bias = -1;
};

bool has_scalar(Rewriter& graph, int value) {
  const GraphValue& scale = graph.value(value);
  return scale.numbers && scale.shape && elements_of(*scale.shape) == 1;
}

/// Returns the DequantizeLinear that computes input `i` of node `at`, or -1.
int dequantiser_of(Rewriter& graph, int at, std::size_t i) {
  const GraphNode& node = graph.node(at);
  if (i >= node.inputs.size() || node.inputs[i] < 0) return -1;
  const int writer = graph.writer(node.inputs[i]);
  const bool found = writer >= 0 && graph.node(writer).kind == "DequantizeLinear" &&
                     graph.node(writer).not_understood.empty();
  return found ? writer : -1;
}

/// Returns true when node `at`, a QuantizeLinear or DequantizeLinear, has one known scale and
/// either no zero point or one known zero point.
bool is_per_tensor(Rewriter& graph, int at) {
  const GraphNode& node = graph.node(at);
  const bool has_zero = node.inputs.size() > 2 && node.inputs[2] >= 0;
  return has_scalar(graph, node.inputs[1]) && (!has_zero || has_scalar(graph, node.inputs[2]));
}

double number_of_value(Rewriter& graph, int value) {
  return std::visit([](const auto& list) { return static_cast<double>(list.front()); },
                    *graph.value(value).numbers);
}

/// Returns true when the weights of `layer` have one scale, or one scale for each output channel.
bool has_channel_axis(Rewriter& graph, int weights, const GraphNode& layer) {
  const GraphNode& node = graph.node(weights);
  if (is_per_tensor(graph, weights)) return true;
  const NodeView view(graph.graph(), node);
  const std::size_t rank = view.shape(0).size();
  const bool is_last =
      layer.kind == "MatMul" ||
      (layer.kind == "Gemm" && NodeView(graph.graph(), layer).integer("transB", 0) == 0);
  return view.axis(view.integer("axis", 1), rank) == (is_last ? rank - 1 : 0);
}

/// Returns true when the bias has one integer per output channel with the zero point 0, and has the
/// scale of the sums, which is the product of the scales of input and weights.
bool fits_sums(Rewriter& graph, const Pattern& found) {
  const NodeView bias(graph.graph(), graph.node(found.bias));
  const NodeView input(graph.graph(), graph.node(found.input));
  const NodeView weights(graph.graph(), graph.node(found.weights));
  if (!bias.input(0).numbers || !bias.input(1).numbers) return false;
  const std::string& type = bias.input(0).type;
  const std::vector<double> scales = *bias.reals_at(1), of_weights = *weights.reals_at(1);
  if (scales.empty() || of_weights.empty()) return false;
  const double of_input = input.reals_at(1)->front();
  const Extents& out = *graph.value(graph.node(found.layer).outputs[0]).shape;
  const std::int64_t channels = graph.node(found.layer).kind == "Conv" ? out[1] : out.back();
  if ((type != "i64" && type != "s32") || bias.shape(0) != Extents{channels}) return false;
  constexpr double kRounding = 1e-6;
  for (std::size_t k = 0; k < std::max(scales.size(), of_weights.size()); ++k) {
    const double expected = of_input * of_weights[of_weights.size() == 1 ? 0 : k];
    const double scale = scales[scales.size() == 1 ? 0 : k];
    if (std::abs(scale - expected) > kRounding * expected) return false;
  }
  const auto points = bias.reals_at(2);
  return !points || std::ranges::all_of(*points, [](double point) { return point == 0; });
}

bool is_plain_product(const NodeView& node) {
  return node.kind() != "Gemm" || (node.integer("transA", 0) == 0 && node.real("alpha", 1) == 1 &&
                                   node.real("beta", 1) == 1);
}

/// Returns the node that computes the first input of node `at`. Returns -1 if there is none, if it
/// is not understood, or if this input is read elsewhere too or is an output of the graph.
int only_source(Rewriter& graph, int at) {
  const int value = graph.node(at).inputs[0];
  const int writer = value < 0 ? -1 : graph.writer(value);
  const bool is_only =
      writer >= 0 && graph.only_reader(value) == at && graph.node(writer).not_understood.empty();
  return is_only ? writer : -1;
}

/// Returns true when input and weights are bytes, the weights are constant, and the scales and zero
/// points of both are known and have a form that kernels accept. A bias must also pass fits_sums().
bool has_known_numbers(Rewriter& graph, const Pattern& found) {
  const GraphNode& layer = graph.node(found.layer);
  const NodeView weights(graph.graph(), graph.node(found.weights));
  const NodeView input(graph.graph(), graph.node(found.input));
  return is_byte_type(input.input(0).type) && is_byte_type(weights.input(0).type) &&
         is_per_tensor(graph, found.input) && weights.input(0).constant &&
         weights.input(1).numbers && (!weights.has_input(2) || weights.input(2).numbers) &&
         has_channel_axis(graph, found.weights, layer) &&
         (found.bias < 0 || fits_sums(graph, found));
}

/// Returns the nodes of the quantised layer that ends with the QuantizeLinear `at`, or nothing.
std::optional<Pattern> pattern_at(Rewriter& graph, int at) {
  Pattern found{.layer = only_source(graph, at), .quantise = at};
  if (found.layer < 0 || !is_per_tensor(graph, at)) return std::nullopt;
  const std::string& kind = graph.node(found.layer).kind;
  if (kind == "Relu" || kind == "Clip") {
    found.limits = found.layer;
    found.layer = only_source(graph, found.limits);
    if (found.layer < 0) return std::nullopt;
  }
  const GraphNode& layer = graph.node(found.layer);
  if (layer.kind != "Conv" && layer.kind != "Gemm" && layer.kind != "MatMul") return std::nullopt;
  if (!is_plain_product(NodeView(graph.graph(), layer))) return std::nullopt;
  found.input = dequantiser_of(graph, found.layer, 0);
  found.weights = dequantiser_of(graph, found.layer, 1);
  found.bias = dequantiser_of(graph, found.layer, 2);
  const bool has_bias = layer.inputs.size() > 2 && layer.inputs[2] >= 0;
  if (found.input < 0 || found.weights < 0 || (has_bias && found.bias < 0)) return std::nullopt;
  if (!has_known_numbers(graph, found)) return std::nullopt;
  return found;
}

/// Sets the attributes `low` and `high` to the finite limits of the layer, divided by the scale of
/// the output. The zero point is not added. Returns false when clip_limits() does not understand
/// the limits.
bool take_limits(Rewriter& graph, const Pattern& found, Attributes& attributes) {
  if (found.limits < 0) return true;
  try {
    const Limits limits = clip_limits(NodeView(graph.graph(), graph.node(found.limits)));
    const auto scale =
        static_cast<float>(number_of_value(graph, graph.node(found.quantise).inputs[1]));
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    if (limits.low > -kInfinity) attributes["low"] = static_cast<double>(limits.low / scale);
    if (limits.high < kInfinity) attributes["high"] = static_cast<double>(limits.high / scale);
    return true;
  } catch (const NotUnderstood&) {
    return false;
  }
}

/// Returns the zero point of a QuantizeLinear or DequantizeLinear. If the node has none, adds a
/// constant 0 to the graph and returns it.
int zero_point_of(Rewriter& graph, int at, const std::string& type) {
  const std::vector<int>& inputs = graph.node(at).inputs;
  if (inputs.size() > 2 && inputs[2] >= 0) return inputs[2];
  const int zero = graph.add_constant("zero", {}, std::nullopt);
  graph.value(zero).type = type;
  const Numbers numbers =
      type == "s8" ? Numbers(std::vector<std::int8_t>(1)) : Numbers(std::vector<std::uint8_t>(1));
  graph.value(zero).numbers = std::make_shared<const Numbers>(numbers);
  return zero;
}

void fuse(Rewriter& graph, const Pattern& found) {
  Attributes limits;
  if (!take_limits(graph, found, limits)) return;
  const std::vector<int> in = graph.node(found.input).inputs,
                         weights = graph.node(found.weights).inputs,
                         out = graph.node(found.quantise).inputs;
  const int bias = found.bias < 0 ? -1 : graph.node(found.bias).inputs[0];
  const std::string type = graph.value(graph.node(found.quantise).outputs[0]).type;
  const std::vector<int> inputs{in[0],
                                in[1],
                                zero_point_of(graph, found.input, graph.value(in[0]).type),
                                weights[0],
                                weights[1],
                                zero_point_of(graph, found.weights, graph.value(weights[0]).type),
                                out[1],
                                zero_point_of(graph, found.quantise, type),
                                bias};
  if (found.limits >= 0) graph.absorb(found.layer, found.limits);
  graph.absorb(found.layer, found.quantise);
  GraphNode& layer = graph.node(found.layer);
  layer.kind = layer.kind == "Conv" ? "QLinearConv" : "QLinearMatMul";
  layer.attributes.merge(limits);
  for (std::size_t i = 0; i < inputs.size(); ++i) graph.set_input(found.layer, i, inputs[i]);
  for (const int each : {found.input, found.weights, found.bias})
    if (each >= 0 && !graph.is_removed(each) && !graph.is_read(graph.node(each).outputs[0]))
      graph.remove(each);
}

}  // namespace

void fuse_quantised(Rewriter& graph) {
  for (int at = 0; at < graph.nodes(); ++at) {
    if (graph.is_removed(at) || graph.node(at).kind != "QuantizeLinear" ||
        !graph.node(at).not_understood.empty())
      continue;
    if (const std::optional<Pattern> found = pattern_at(graph, at)) fuse(graph, *found);
  }
}

}  // namespace tileplan
