// SPDX-License-Identifier: Apache-2.0
// This file chooses the memory layouts of all tensors of a graph.
#pragma once

#include <optional>

#include "node_view.h"
#include "tileplan/network.h"

namespace tileplan {

/// Describes one way to compute a node. All its inputs have the layout `in`, except that a residual
/// has the layout `out`, as all outputs do.
struct LayoutAlternative {
  Layout in = Layout::nchw, out = Layout::nchw;
  double seconds = 0;
};

/// Holds the alternatives of each node, in the order of the nodes.
using LayoutAlternatives = std::vector<std::vector<LayoutAlternative>>;

struct ChosenLayouts {
  std::vector<std::size_t> alternatives = {};  ///< Holds the chosen alternative of each node.
  LayoutProof proof = {};
};

/// Returns the layouts that a tensor can have on `machine`. nchw comes first, and is the only one
/// for tensors of unknown shape or with fewer than three dimensions. Blocks of channels must be
/// full.
std::vector<Layout> layouts_of(const GraphValue& value, const Machine& machine);

/// Returns true when the layouts are equal, when both store the elements of `value` in row-major
/// order, or when the shape is unknown.
bool is_same_order(const GraphValue& value, Layout first, Layout second);

/// Returns the predicted time of copying `value` from one layout to another. For a transposition,
/// it is that of eq. (R) of models/README.md. Other copies take twice as many cycles.
double conversion_seconds(const GraphValue& value, Layout from, Layout to, const Machine& machine);

/// Returns the predicted time of reading and writing the tensors of a node once.
double streaming_seconds(const Graph& graph, const GraphNode& node, const Machine& machine);

/// Returns the predicted time of a node without a kernel whose tensors have `layout`. A Concat
/// takes no time if its inputs can be written directly into its output, and a Reshape takes none if
/// its result can lie where its input does.
double operator_seconds(const Graph& graph, const GraphNode& node, Layout layout,
                        const Machine& machine);

/// Returns the layout that input `i` of `node` must have. Constants of f32 are copied to this
/// layout before the run, except for weights of kernels, which are packed, and numbers of quantised
/// operators.
Layout needed_layout(const GraphNode& node, std::size_t i, const LayoutAlternative& alternative);

/// Returns the alternatives with the smallest total time of nodes and conversions, unless tables
/// grow so large that minimise() is not exact. A tensor is converted once to each layout that is
/// needed. Inputs and outputs of the graph are nchw. Requires that each node has an alternative in
/// layouts that its tensors can have.
ChosenLayouts choose_layouts(const Graph& graph, const LayoutAlternatives& alternatives,
                             const Machine& machine);

/// Describes the best of the alternatives that were not chosen for a node.
struct SecondBest {
  std::size_t alternative = 0;
  double seconds = 0;  ///< The best network that uses this alternative takes this time.
};

/// Returns the second-best alternative of each node, or nothing where no other alternative is
/// possible.
std::vector<std::optional<SecondBest>> second_best_choices(const Graph& graph,
                                                           const LayoutAlternatives& alternatives,
                                                           const Machine& machine,
                                                           const ChosenLayouts& chosen);

}  // namespace tileplan
