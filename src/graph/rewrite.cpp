// SPDX-License-Identifier: Apache-2.0
// This file holds the class Rewriter. It also computes constants, removes nodes that only pass
// values on, and replaces several kinds of nodes, such as MatMul and Gemm, by one kind.
#include "rewrite.h"

#include <algorithm>
#include <vector>

#include "operators.h"
#include "plain_graph.h"
#include "quantised.h"

namespace tileplan {

Rewriter::Rewriter(Graph graph) : graph_(std::move(graph)), removed_(graph_.nodes.size()) {
  index();
}

void Rewriter::index() {
  writers_.assign(graph_.values.size(), -1);
  readers_.assign(graph_.values.size(), {});
  for (int at = 0; at < nodes(); ++at) {
    if (is_removed(at)) continue;
    for (const int input : node(at).inputs)
      if (input >= 0) readers_[static_cast<std::size_t>(input)].push_back(at);
    for (const int output : node(at).outputs)
      if (output >= 0) writers_[static_cast<std::size_t>(output)] = at;
  }
}

bool Rewriter::is_output(int value) const {
  return std::ranges::find(graph_.outputs, value) != graph_.outputs.end();
}

bool Rewriter::is_read(int value) const {
  return !readers_[static_cast<std::size_t>(value)].empty() || is_output(value);
}

int Rewriter::only_reader(int value) const {
  const std::vector<int>& readers = readers_[static_cast<std::size_t>(value)];
  return readers.size() == 1 && !is_output(value) ? readers.front() : -1;
}

int Rewriter::add_constant(const std::string& name, Extents shape,
                           std::optional<std::vector<float>> numbers) {
  GraphValue added{.name = name, .shape = std::move(shape), .constant = true};
  if (numbers) added.numbers = std::make_shared<const Numbers>(std::move(*numbers));
  return add_value(std::move(added));
}

int Rewriter::add_value(GraphValue value) {
  graph_.values.push_back(std::move(value));
  writers_.push_back(-1);
  readers_.emplace_back();
  return static_cast<int>(graph_.values.size()) - 1;
}

void Rewriter::set_input(int at, std::size_t which, int value) {
  std::vector<int>& inputs = node(at).inputs;
  if (which >= inputs.size()) inputs.resize(which + 1, -1);
  if (inputs[which] >= 0) {
    std::vector<int>& before = readers_[static_cast<std::size_t>(inputs[which])];
    before.erase(std::ranges::find(before, at));
  }
  inputs[which] = value;
  if (value >= 0) readers_[static_cast<std::size_t>(value)].push_back(at);
}

void Rewriter::bypass(int at, int value) {
  const int gone = node(at).outputs.front();
  remove(at);
  const std::vector<int> readers = readers_[static_cast<std::size_t>(gone)];
  for (const int reader : readers)
    for (std::size_t i = 0; i < node(reader).inputs.size(); ++i)
      if (node(reader).inputs[i] == gone) set_input(reader, i, value);
  std::ranges::replace(graph_.outputs, gone, value);
}

void Rewriter::absorb(int at, int next) {
  const int result = node(next).outputs.front();
  remove(next);
  node(at).outputs = {result};
  writers_[static_cast<std::size_t>(result)] = at;
}

void Rewriter::remove(int at) {
  for (std::size_t i = 0; i < node(at).inputs.size(); ++i) set_input(at, i, -1);
  for (const int output : node(at).outputs)
    if (output >= 0) writers_[static_cast<std::size_t>(output)] = -1;
  removed_[static_cast<std::size_t>(at)] = true;
}

void Rewriter::insert(int at, GraphNode added) {
  graph_.nodes.insert(graph_.nodes.begin() + at, std::move(added));
  removed_.insert(removed_.begin() + at, false);
  index();
}

Graph Rewriter::finished() {
  std::size_t at = 0;
  std::erase_if(graph_.nodes, [&](const GraphNode&) { return removed_[at++]; });
  return std::move(graph_);
}

const std::vector<float>* float_numbers(const GraphValue& value) {
  return value.numbers ? std::get_if<std::vector<float>>(value.numbers.get()) : nullptr;
}

namespace {

/// Limits the total number of elements of the constants that are computed, so that a small file
/// cannot exhaust the memory.
constexpr std::int64_t kMostComputed = std::int64_t{1} << 29;

/// Returns true when all results of `node` are constants and it is understood.
bool is_constant_node(Rewriter& graph, const GraphNode& node) {
  const auto is_constant = [&](int output) { return output < 0 || graph.value(output).constant; };
  return node.not_understood.empty() && std::ranges::all_of(node.outputs, is_constant);
}

/// Returns true for operators whose work can grow faster than the sizes of their tensors. They are
/// not computed for constants here, because a small file could make them take days.
bool is_costly(const std::string& kind) {
  return kind == "Conv" || is_product(kind) || is_quantised_layer(kind) || kind == "LRN" ||
         kind.ends_with("Pool");
}

/// Returns the inputs of a node, or nothing when the numbers of an input are unknown. A Shape needs
/// no numbers.
std::optional<PlainInputs> known_inputs(const NodeView& view) {
  PlainInputs inputs;
  for (std::size_t i = 0; i < view.inputs(); ++i) {
    inputs.push_back(view.has_input(i) ? view.input(i).numbers.get() : nullptr);
    if (view.has_input(i) && !inputs.back() && view.kind() != "Shape") return std::nullopt;
  }
  return inputs;
}

/// Returns the number of elements of a node's outputs, or nothing when an output was computed
/// before or has an unknown shape.
std::optional<std::int64_t> elements_to_compute(Rewriter& graph, const GraphNode& node) {
  std::int64_t elements = 0;
  for (const int output : node.outputs) {
    if (output < 0) continue;
    if (!graph.value(output).shape || graph.value(output).numbers) return std::nullopt;
    elements += elements_of(*graph.value(output).shape);
  }
  return elements;
}

/// Computes the outputs of a node whose inputs have known numbers, and subtracts the number of
/// their elements from `left`. The outputs stay unknown if they cannot be computed, if is_costly()
/// is true, or if `left` becomes negative.
void compute_constant(Rewriter& graph, const GraphNode& node, std::int64_t& left) {
  const NodeView view(graph.graph(), node);
  const std::optional<PlainInputs> inputs = known_inputs(view);
  const std::optional<std::int64_t> elements = elements_to_compute(graph, node);
  if (!inputs || !elements || !node.not_understood.empty() || is_costly(node.kind)) return;
  if ((left -= *elements) < 0) return;
  try {
    std::vector<Numbers> results = compute_plain(view, *inputs);
    for (std::size_t i = 0; i < results.size(); ++i)
      if (node.outputs[i] >= 0)
        graph.value(node.outputs[i]).numbers =
            std::make_shared<const Numbers>(std::move(results[i]));
  } catch (const NotUnderstood&) {
    return;
  }
}

/// Replaces a Sum of n inputs by n - 1 Add nodes, or by Identity for one input, because later steps
/// fuse only Add.
void split_sum(Rewriter& graph, int at) {
  graph.node(at).kind = graph.node(at).inputs.size() == 1 ? "Identity" : "Add";
  while (graph.node(at).inputs.size() > 2) {
    GraphNode first{.name = graph.node(at).name,
                    .kind = "Add",
                    .inputs = {graph.node(at).inputs[0], graph.node(at).inputs[1]}};
    const NodeView view(graph.graph(), first);
    GraphValue partial = graph.value(first.inputs[0]);
    partial.shape = broadcast(view, view.shape(0), view.shape(1));
    partial.constant = false;
    partial.numbers = nullptr;
    graph.graph().values.push_back(std::move(partial));
    const int value = static_cast<int>(graph.graph().values.size()) - 1;
    first.outputs = {value};
    GraphNode& rest = graph.node(at);
    rest.inputs.erase(rest.inputs.begin());
    rest.inputs[0] = value;
    graph.insert(at++, std::move(first));
  }
}

bool is_mean_of_planes(const NodeView& node) {
  const std::size_t rank = node.shape(0).size();
  if (rank < 3 || !node.integers_at(1, "axes") || node.integer("keepdims", 1) == 0) return false;
  std::vector<bool> planes(rank, true);
  planes[0] = planes[1] = false;
  return reduced_axes(node) == planes;
}

/// Turns a MatMul into a Product, and a Gemm too if kernels support it.
void make_product(Rewriter& graph, int at) {
  GraphNode& node = graph.node(at);
  if (node.kind == "MatMul") {
    node.kind = "Product";
    return;
  }
  const NodeView view(graph.graph(), node);
  const bool transposed = view.integer("transB", 0) != 0;
  const bool scales_c = view.has_input(2) && view.real("beta", 1) != 1;
  if (scales_c || (transposed && !view.input(1).constant)) return;
  const Product product = product_of(view);
  if (view.has_input(2)) {
    const Extents& c = view.shape(2);
    const bool is_row = !c.empty() && c.back() == product.n && elements_of(c) == product.n;
    const bool is_residual = c == view.out_shape() && !(is_row && view.input(2).constant);
    if (!is_residual && !(is_row && view.input(2).constant)) return;
    if (is_residual) {
      const int residual = node.inputs[2];
      graph.set_input(at, 2, -1);
      graph.set_input(at, 3, residual);
    }
  }
  node.kind = "Product";
}

void simplify_node(Rewriter& graph, int at) {
  if (graph.node(at).kind == "Sum") split_sum(graph, at);
  const std::string kind = graph.node(at).kind;
  if (kind == "Gemm" || kind == "MatMul") make_product(graph, at);
  if (kind == "ReduceMean" && is_mean_of_planes(NodeView(graph.graph(), graph.node(at)))) {
    graph.node(at).kind = "GlobalAveragePool";
    graph.node(at).inputs.resize(1);
  }
  if (!keeps_order(kind) || kind == "Cast") return;
  GraphNode& node = graph.node(at);
  const bool passes_on = graph.value(node.inputs[0]).shape == graph.value(node.outputs[0]).shape;
  if (passes_on && !graph.is_output(node.outputs[0])) return graph.bypass(at, node.inputs[0]);
  node.kind = "Reshape";
  node.outputs.resize(1);
  while (node.inputs.size() > 1) {
    graph.set_input(at, node.inputs.size() - 1, -1);
    node.inputs.pop_back();
  }
}

/// Marks each Dropout whose mask is read, because networks do not compute masks.
void refuse_masks(Rewriter& graph) {
  for (int at = 0; at < graph.nodes(); ++at) {
    GraphNode& node = graph.node(at);
    const bool has_mask = node.kind == "Dropout" && node.outputs.size() > 1;
    if (has_mask && node.outputs[1] >= 0 && graph.is_read(node.outputs[1]))
      node.not_understood = "the mask of a Dropout";
  }
}

}  // namespace

void fold_constants(Rewriter& graph) {
  std::int64_t left = kMostComputed;
  for (int at = 0; at < graph.nodes(); ++at) {
    if (graph.is_removed(at) || !is_constant_node(graph, graph.node(at))) continue;
    compute_constant(graph, graph.node(at), left);
    graph.remove(at);
  }
}

void simplify(Rewriter& graph) {
  for (int at = 0; at < graph.nodes(); ++at)
    if (!graph.is_removed(at) && graph.node(at).not_understood.empty()) simplify_node(graph, at);
}

Graph rewritten(const Graph& graph) {
  Rewriter rewriter(graph);
  refuse_masks(rewriter);
  fuse_quantised(rewriter);
  fold_constants(rewriter);
  simplify(rewriter);
  join_shuffles(rewriter);
  make_affine(rewriter);
  join_affine(rewriter);
  join_gates(rewriter);
  fuse_epilogues(rewriter);
  return rewriter.finished();
}

}  // namespace tileplan
