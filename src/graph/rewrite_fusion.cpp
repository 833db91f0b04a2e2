// SPDX-License-Identifier: Apache-2.0
// This file moves residual additions and limits into the nodes before them.
#include "elementwise.h"
#include "operators.h"
#include "rewrite.h"

namespace tileplan {
namespace {

bool is_layer(const std::string& kind) { return kind == "Conv" || kind == "Product"; }

bool has_limits(const GraphNode& node) {
  return node.attributes.contains("low") || node.attributes.contains("high");
}

/// Fuses Add `next` into layer `at` when the other addend exists before the layer runs. Returns
/// false if it cannot.
bool fuse_residual(Rewriter& graph, int at, int next) {
  const GraphNode& node = graph.node(at);
  if (graph.node(next).kind != "Add" || !is_layer(node.kind) || has_limits(node) ||
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

}  // namespace

void fuse_residuals_and_limits(Rewriter& graph) {
  for (int at = 0; at < graph.nodes(); ++at) {
    if (graph.is_removed(at) || !graph.node(at).not_understood.empty()) continue;
    for (bool fused = true; fused;) {
      const int next = graph.only_reader(graph.node(at).outputs[0]);
      fused = next > at && (fuse_residual(graph, at, next) || fuse_limits(graph, at, next));
    }
  }
}

}  // namespace tileplan
