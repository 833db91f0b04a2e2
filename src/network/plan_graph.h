// SPDX-License-Identifier: Apache-2.0
// This file finds the layers of a graph and how other nodes can be computed, and plans a graph at
// random for experiments.
#pragma once

#include "layer_problem.h"
#include "layout_choice.h"
#include "plan_layers.h"

namespace tileplan {

/// Holds the layers of a rewritten graph. Each distinct pair of problem and epilogue occurs once.
struct GraphLayers {
  std::vector<LayerProblem> layers = {};
  std::vector<int> of_node = {};  ///< Holds the number of the layer of each node, or -1.
  std::vector<SkippedLayer> skipped = {};
};

/// Returns the layers of `graph`. Requires that rewritten() returned the graph.
GraphLayers graph_layers(const Graph& graph);

/// Returns the alternatives of a node without a kernel, one for each layout in which its operation
/// works. nchw comes first.
std::vector<LayoutAlternative> plain_alternatives(const Graph& graph, const GraphNode& node,
                                                  const Machine& machine);

/// Returns the plan of a graph whose algorithms and layouts are drawn at random. Each alternative
/// of a node has the same probability. The plan contains no proof. Experiments compare such plans
/// with the chosen one.
NetworkPlan plan_at_random(const Graph& graph, const Machine& machine,
                           const NetworkOptions& options, std::uint64_t seed);

/// Returns the names of the nodes that layer `layer` computes, in the order of the graph.
std::vector<std::string> nodes_of(const Graph& graph, const GraphLayers& layers, int layer);

}  // namespace tileplan
