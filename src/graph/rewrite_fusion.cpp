// SPDX-License-Identifier: Apache-2.0
// This file moves residual additions, activations and limits into the nodes before them, and
// replaces products such as x * Sigmoid(x) by one node.
#include "elementwise.h"
#include "operators.h"
#include "rewrite.h"

namespace tileplan {
namespace {

bool is_layer(const std::string& kind) { return kind == "Conv" || kind == "Product"; }

bool has_limits(const GraphNode& node) {
  return node.attributes.contains("low") || node.attributes.contains("high");
}

bool has_activation(const GraphNode& node) { return node.attributes.contains("activation"); }

/// Fuses the Add `next` into layer `at`. The other addend must be computed before the layer, and
/// have the shape and type of the layer's result. Returns false if nothing was fused.
bool fuse_residual(Rewriter& graph, int at, int next) {
  const GraphNode& node = graph.node(at);
  if (graph.node(next).kind != "Add" || !graph.node(next).not_understood.empty() ||
      !is_layer(node.kind) || has_limits(node) || has_activation(node) ||
      (node.inputs.size() > 3 && node.inputs[3] >= 0))
    return false;
  const int result = node.outputs[0];
  const int other = graph.node(next).inputs[graph.node(next).inputs[0] == result ? 1 : 0];
  if (other == result || graph.value(other).shape != graph.value(result).shape ||
      graph.value(other).type != graph.value(result).type || graph.writer(other) > at)
    return false;
  graph.absorb(at, next);
  graph.set_input(at, 3, other);
  return true;
}

bool fuse_limits(Rewriter& graph, int at, int next) {
  const GraphNode& node = graph.node(at);
  const std::string kind = graph.node(next).kind;
  if ((kind != "Relu" && kind != "Clip") || has_limits(node) ||
      (!is_layer(node.kind) && node.kind != "Affine" && node.kind != "Add"))
    return false;
  if (!graph.node(next).not_understood.empty()) return false;
  Attributes limits;
  try {
    const NodeView view(graph.graph(), graph.node(next));
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const Limits found = clip_limits(view);
    if (found.low > -kInfinity) limits["low"] = static_cast<double>(found.low);
    if (found.high < kInfinity) limits["high"] = static_cast<double>(found.high);
  } catch (const NotUnderstood&) {
    return false;
  }
  graph.absorb(at, next);
  graph.node(at).attributes.merge(limits);
  return true;
}

/// Fuses the unary operator `next` into layer `at`, whose outputs must be f32. Returns false when
/// nothing was fused. Layers whose weights are no constants are left alone, because they may run
/// without a kernel.
bool fuse_activation(Rewriter& graph, int at, int next) {
  const GraphNode& node = graph.node(at);
  if (!is_layer(node.kind) || has_limits(node) || has_activation(node) ||
      !graph.value(node.inputs[1]).constant || graph.value(node.outputs[0]).type != "f32" ||
      !is_unary(graph.node(next).kind) || !graph.node(next).not_understood.empty())
    return false;
  const Activation found = unary_activation(NodeView(graph.graph(), graph.node(next)));
  if (!found.any()) return false;
  graph.absorb(at, next);
  graph.node(at).attributes["activation"] = to_string(Epilogue{.activation = found});
  return true;
}

/// Returns the operator that computes x times the result of node `at`, whose input is x, or "" if
/// there is none.
std::string kind_of_product(Rewriter& graph, int at) {
  const std::string& kind = graph.node(at).kind;
  if (kind == "Sigmoid") return "Swish";
  if (kind != "HardSigmoid") return "";
  const Activation found = unary_activation(NodeView(graph.graph(), graph.node(at)));
  const Activation swish = parse_epilogue("hard-swish").activation;
  const bool is_same = static_cast<float>(found.alpha) == static_cast<float>(swish.alpha) &&
                       found.beta == swish.beta;
  return is_same ? "HardSwish" : "";
}

}  // namespace

void join_gates(Rewriter& graph) {
  for (int at = 0; at < graph.nodes(); ++at) {
    if (graph.is_removed(at) || !graph.node(at).not_understood.empty()) continue;
    const std::string kind = kind_of_product(graph, at);
    if (kind.empty()) continue;
    const int x = graph.node(at).inputs[0], gate = graph.node(at).outputs[0];
    const int next = graph.only_reader(gate);
    if (next < 0 || graph.node(next).kind != "Mul" || !graph.node(next).not_understood.empty())
      continue;
    const std::vector<int>& factors = graph.node(next).inputs;
    if (factors != std::vector{x, gate} && factors != std::vector{gate, x}) continue;
    graph.absorb(at, next);
    graph.node(at).kind = kind;
    graph.node(at).attributes.clear();
  }
}

void fuse_epilogues(Rewriter& graph) {
  for (int at = 0; at < graph.nodes(); ++at) {
    if (graph.is_removed(at) || !graph.node(at).not_understood.empty()) continue;
    for (bool fused = true; fused;) {
      const int next = graph.only_reader(graph.node(at).outputs[0]);
      fused = next > at && (fuse_residual(graph, at, next) || fuse_activation(graph, at, next) ||
                            fuse_limits(graph, at, next));
    }
  }
}

}  // namespace tileplan
