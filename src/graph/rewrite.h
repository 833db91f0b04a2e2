// SPDX-License-Identifier: Apache-2.0
// This file rewrites graphs so that they compute the same outputs with fewer nodes.
#pragma once

#include <functional>

#include "node_view.h"

namespace tileplan {

/// Returns a graph that computes the outputs of `graph` with fewer and more general nodes:
///   - Layers between DequantizeLinear and QuantizeLinear become QLinearConv and QLinearMatMul.
///     Their attributes `low` and `high` limit results before the zero point is added, and both
///     kinds can have a bias.
///   - Nodes whose results are constants (GraphValue::constant) are removed. The results are
///     computed if all numbers are known and the computation does not take too much time or memory.
///     Dropout, Identity and reshapes that keep the shape are removed too, or become Reshape if
///     their result is an output of the graph. A Dropout whose mask is read is not understood.
///   - Sum becomes Add, and MatMul and the Gemm that kernels support become Product. Means over
///     planes that keep the reduced axes become GlobalAveragePool. Flatten, Squeeze and Unsqueeze
///     that change the shape become Reshape.
///   - Channel shuffles become Gather nodes.
///   - Arithmetic with constants per channel becomes Affine nodes, x * scale + shift. These are
///     merged into the weights and biases of convolutions and products where possible. The
///     attribute `was` of an Affine is the kind of the first node that it replaces.
///   - x * Sigmoid(x) becomes Swish. x * HardSigmoid(x) becomes HardSwish if its
///     parameters are those of HardSwish.
///   - Convolutions and products get a bias as third input and a residual as fourth input. Their
///     attribute `activation` has a text that parse_epilogue() reads. The attributes `low` and
///     `high` limit the results of convolutions, products, Affine and Add.
/// Nodes keep their order. Throws Error when a computed integer overflows or is divided by 0.
Graph rewritten(const Graph& graph);

/// Changes a graph, and keeps track of the node that writes each value and of the nodes that read
/// it.
class Rewriter {
 public:
  explicit Rewriter(Graph graph);

  Graph& graph() { return graph_; }
  GraphNode& node(int at) { return graph_.nodes[static_cast<std::size_t>(at)]; }
  GraphValue& value(int at) { return graph_.values[static_cast<std::size_t>(at)]; }
  int nodes() const { return static_cast<int>(graph_.nodes.size()); }
  bool is_removed(int at) const { return removed_[static_cast<std::size_t>(at)]; }

  /// Returns the node that writes `value`, or -1 if there is none.
  int writer(int value) const { return writers_[static_cast<std::size_t>(value)]; }
  /// Returns the node that reads `value` if exactly one input of all nodes is `value`. Returns -1
  /// otherwise, or when `value` is an output of the graph.
  int only_reader(int value) const;
  bool is_output(int value) const;
  /// Returns true when a node reads `value`, or `value` is an output of the graph.
  bool is_read(int value) const;

  /// Adds a constant of f32 and returns its position. Without `numbers`, the numbers of the
  /// constant stay unknown until the caller sets them. They are never known if they depend on
  /// weights that the model file does not contain.
  int add_constant(const std::string& name, Extents shape,
                   std::optional<std::vector<float>> numbers);
  /// Adds a value that no node writes, and returns its position.
  int add_value(GraphValue value);
  /// Makes `value` the input `which` of node `at`. The value -1 stands for an omitted input.
  void set_input(int at, std::size_t which, int value);
  /// Removes node `at`. The readers of its first output read `value` instead. If the first output
  /// is an output of the graph, `value` takes its place.
  void bypass(int at, int value);
  /// Removes node `next`. Node `at` then writes the first output of `next` instead of its own.
  void absorb(int at, int next);
  /// Removes node `at`. Its outputs then have no writer.
  void remove(int at);
  /// Inserts `added` before node `at`. The positions of this node and of all later ones grow by 1.
  void insert(int at, GraphNode added);
  /// Returns the changed graph without the removed nodes. The Rewriter must not be used afterwards.
  Graph finished();

 private:
  void index();

  Graph graph_;
  std::vector<bool> removed_;
  std::vector<int> writers_;
  std::vector<std::vector<int>> readers_;
};

/// rewritten() takes these steps in this order.
void fuse_quantised(Rewriter& graph);
void fold_constants(Rewriter& graph);
void simplify(Rewriter& graph);
void join_shuffles(Rewriter& graph);
void make_affine(Rewriter& graph);
void join_affine(Rewriter& graph);
void join_gates(Rewriter& graph);
void fuse_epilogues(Rewriter& graph);

/// Returns the numbers of a constant of f32, or null.
const std::vector<float>* float_numbers(const GraphValue& value);

}  // namespace tileplan
