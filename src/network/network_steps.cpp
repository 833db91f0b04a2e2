// SPDX-License-Identifier: Apache-2.0
// This file makes the steps of a run. It visits the nodes in order, and inserts a conversion before
// the first use of a tensor in another layout than the one in which it was written.
#include <map>

#include "network_memory.h"
#include "quantised.h"

namespace tileplan {
namespace {

class StepList {
 public:
  StepList(NetworkPlan& network, const LayoutAlternatives& alternatives,
           const ChosenLayouts& chosen, const std::vector<int>& layers)
      : network_(network),
        graph_(*network.rewritten),
        alternatives_(alternatives),
        chosen_(chosen),
        layers_(layers) {}

  void make() {
    for (std::size_t i = 0; i < graph_.inputs.size(); ++i) {
      const int buffer = new_buffer(graph_.inputs[i], Layout::nchw, NetworkBuffer::Place::input);
      network_.buffers[static_cast<std::size_t>(buffer)].index = static_cast<int>(i);
      written_[graph_.inputs[i]] = Layout::nchw;
    }
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) add_node(n);
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i) add_output(static_cast<int>(i));
  }

 private:
  const GraphValue& value(int at) const { return graph_.values[static_cast<std::size_t>(at)]; }

  int new_buffer(int at, Layout layout, NetworkBuffer::Place place) {
    const std::int64_t elements = value(at).shape ? elements_of(*value(at).shape) : 0;
    network_.buffers.push_back({.value = at,
                                .layout = layout,
                                .bytes = bytes_of_type(value(at).type) * elements,
                                .place = place});
    const int buffer = static_cast<int>(network_.buffers.size()) - 1;
    known_[{at, layout}] = buffer;
    return buffer;
  }

  /// Returns the buffer of a value in `layout`. A missing buffer is added. If the caller or an
  /// earlier step has written the value in another layout, a conversion that fills the new buffer
  /// is added too.
  int buffer_in(int at, Layout layout) {
    if (const auto found = known_.find({at, layout}); found != known_.end()) return found->second;
    if (value(at).constant) return new_buffer(at, layout, NetworkBuffer::Place::constant);
    const auto written = written_.find(at);
    if (written == written_.end()) return new_buffer(at, layout, NetworkBuffer::Place::arena);
    const int from = known_.at({at, written->second});
    const int to = new_buffer(at, layout, NetworkBuffer::Place::arena);
    add_conversion(from, to);
    return to;
  }

  void add_conversion(int from, int to) {
    const NetworkBuffer& target = network_.buffers[static_cast<std::size_t>(to)];
    const Layout source = network_.buffers[static_cast<std::size_t>(from)].layout;
    const bool is_copy = is_same_order(value(target.value), target.layout, source);
    network_.steps.push_back(
        {.name = value(target.value).name,
         .kind = is_copy ? "Copy" : "Conversion",
         .inputs = {from},
         .outputs = {to},
         .seconds = is_copy ? 0
                            : conversion_seconds(value(target.value), source, target.layout,
                                                 network_.machine)});
    network_.layouts.conversions += is_copy ? 0 : 1;
  }

  void add_node(std::size_t n) {
    const GraphNode& node = graph_.nodes[n];
    const LayoutAlternative& chosen = alternatives_[n][chosen_.alternatives[n]];
    NetworkStep step{.name = node.name,
                     .kind = node.kind,
                     .node = static_cast<int>(n),
                     .layer = layers_[n],
                     .seconds = chosen.seconds};
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
      step.inputs.push_back(
          node.inputs[i] < 0 ? -1 : buffer_in(node.inputs[i], needed_layout(node, i, chosen)));
    for (const int output : node.outputs) {
      if (output >= 0) written_[output] = chosen.out;
      step.outputs.push_back(
          output < 0 ? -1 : new_buffer(output, chosen.out, NetworkBuffer::Place::arena));
    }
    network_.steps.push_back(std::move(step));
  }

  /// Makes the step that computes an output write into the caller's memory, or adds a copy.
  void add_output(int index) {
    const int at = graph_.outputs[static_cast<std::size_t>(index)];
    const int buffer = buffer_in(at, Layout::nchw);
    NetworkBuffer& found = network_.buffers[static_cast<std::size_t>(buffer)];
    if (found.place == NetworkBuffer::Place::arena) {
      found.place = NetworkBuffer::Place::output;
      found.index = index;
      return;
    }
    const int copy = new_buffer(at, Layout::nchw, NetworkBuffer::Place::output);
    network_.buffers[static_cast<std::size_t>(copy)].index = index;
    add_conversion(buffer, copy);
  }

  NetworkPlan& network_;
  const Graph& graph_;
  const LayoutAlternatives& alternatives_;
  const ChosenLayouts& chosen_;
  const std::vector<int>& layers_;
  std::map<std::pair<int, Layout>, int> known_;
  /// Maps each input of the graph and each computed value to the layout in which it was written.
  std::map<int, Layout> written_;
};

}  // namespace

void make_steps(NetworkPlan& network, const LayoutAlternatives& alternatives,
                const ChosenLayouts& chosen, const std::vector<int>& layers) {
  network.layouts = chosen.proof;
  StepList(network, alternatives, chosen, layers).make();
  place_buffers(network);
}

}  // namespace tileplan
