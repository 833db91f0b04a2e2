// SPDX-License-Identifier: Apache-2.0
// The choice is a minimum of a sum of tables. Each node is a variable whose values are its
// alternatives. Each tensor that is no constant is a variable, too. A value of this variable
// consists of the layout in which the tensor is written and the set of layouts in which it exists.
#include "layout_choice.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "capacity.h"
#include "elimination.h"
#include "fast_operators.h"
#include "link.h"
#include "moves.h"
#include "operators.h"
#include "quantised.h"

namespace tileplan {
namespace {

/// Returns the outermost cache that cannot hold tensors of `bytes` bytes in total, or the innermost
/// cache if all caches can. The tensors pass the link that fills this cache. Returns null for a
/// machine without caches.
const CacheLevel* link_of(const Machine& machine, double bytes) {
  const CacheLevel* outer = nullptr;
  for (const CacheLevel& cache : machine.caches) {
    if (bytes <= usable_bytes(cache) && outer) return outer;
    outer = &cache;
  }
  return outer;
}

double bytes_of_value(const GraphValue& value) {
  if (!value.shape) return 0;
  return static_cast<double>(bytes_of_type(value.type) * elements_of(*value.shape));
}

/// Lists the states of a tensor. A state consists of the layout in which the tensor is written, and
/// a bit for each layout in which a copy exists.
struct ValueStates {
  std::vector<Layout> layouts = {};
  std::vector<std::size_t> written = {};
  std::vector<unsigned> present = {};

  explicit ValueStates(std::vector<Layout> possible) : layouts(std::move(possible)) {
    for (std::size_t from = 0; from < layouts.size(); ++from)
      for (unsigned set = 0; set < 1U << layouts.size(); ++set)
        if ((set >> from & 1U) != 0) {
          written.push_back(from);
          present.push_back(set);
        }
  }
  std::size_t size() const { return written.size(); }
  bool has(std::size_t state, Layout layout) const {
    const auto found = std::ranges::find(layouts, layout);
    return found != layouts.end() &&
           (present[state] >> static_cast<unsigned>(found - layouts.begin()) & 1U) != 0;
  }
};

class LayoutSum {
 public:
  LayoutSum(const Graph& graph, const LayoutAlternatives& alternatives, const Machine& machine)
      : graph_(graph), alternatives_(alternatives), machine_(machine) {
    for (const auto& list : alternatives) add_variable(list.size(), false);
    for (std::size_t v = 0; v < graph.values.size(); ++v) {
      states_.emplace_back(layouts_of(graph.values[v], machine));
      variables_.push_back(graph.values[v].constant ? -1 : add_variable(states_[v].size(), true));
    }
    for (std::size_t v = 0; v < graph.values.size(); ++v)
      if (variables_[v] >= 0) add_conversions(v);
    for (const int input : graph.inputs)
      require(input, [](const ValueStates& states, std::size_t state) {
        return states.layouts[states.written[state]] == Layout::nchw;
      });
    for (const int output : graph.outputs)
      require(output, [](const ValueStates& states, std::size_t state) {
        return states.has(state, Layout::nchw);
      });
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) add_node(n);
  }

  const CostSum& sum() const { return sum_; }

 private:
  int add_variable(std::size_t size, bool is_auxiliary) {
    sum_.sizes.push_back(static_cast<int>(size));
    sum_.is_auxiliary.push_back(is_auxiliary);
    return static_cast<int>(sum_.sizes.size()) - 1;
  }

  void add_conversions(std::size_t v) {
    const ValueStates& states = states_[v];
    CostTable table{.scope = {variables_[v]}};
    for (std::size_t state = 0; state < states.size(); ++state) {
      double cost = 0;
      const Layout written = states.layouts[states.written[state]];
      for (const Layout layout : states.layouts)
        if (states.has(state, layout) && !is_same_order(graph_.values[v], written, layout))
          cost += conversion_seconds(graph_.values[v], written, layout, machine_);
      table.costs.push_back(cost);
    }
    sum_.tables.push_back(std::move(table));
  }

  template <class Rule>
  void require(int value, const Rule& rule) {
    const auto v = static_cast<std::size_t>(value);
    if (variables_[v] < 0) return;
    CostTable table{.scope = {variables_[v]}};
    for (std::size_t state = 0; state < states_[v].size(); ++state)
      table.costs.push_back(rule(states_[v], state) ? 0 : kForbiddenCost);
    sum_.tables.push_back(std::move(table));
  }

  void add_node(std::size_t n) {
    const GraphNode& node = graph_.nodes[n];
    CostTable times{.scope = {static_cast<int>(n)}};
    for (const LayoutAlternative& each : alternatives_[n]) times.costs.push_back(each.seconds);
    sum_.tables.push_back(std::move(times));
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
      if (node.inputs[i] >= 0)
        connect(n, node.inputs[i],
                [&](const ValueStates& states, std::size_t state, const auto& each) {
                  return states.has(state, needed_layout(node, i, each));
                });
    for (const int output : node.outputs)
      if (output >= 0)
        connect(n, output, [](const ValueStates& states, std::size_t state, const auto& each) {
          return states.layouts[states.written[state]] == each.out;
        });
  }

  /// Forbids combinations of a state of `value` and an alternative of node `n` that break `rule`.
  template <class Rule>
  void connect(std::size_t n, int value, const Rule& rule) {
    const auto v = static_cast<std::size_t>(value);
    if (variables_[v] < 0) return;
    CostTable table{.scope = {static_cast<int>(n), variables_[v]}};
    for (const LayoutAlternative& each : alternatives_[n])
      for (std::size_t state = 0; state < states_[v].size(); ++state)
        table.costs.push_back(rule(states_[v], state, each) ? 0 : kForbiddenCost);
    sum_.tables.push_back(std::move(table));
  }

  const Graph& graph_;
  const LayoutAlternatives& alternatives_;
  const Machine& machine_;
  CostSum sum_;
  std::vector<ValueStates> states_;
  std::vector<int> variables_;
};

}  // namespace

std::vector<Layout> layouts_of(const GraphValue& value, const Machine& machine) {
  std::vector<Layout> layouts{Layout::nchw};
  if (!value.shape || value.shape->size() < 3) return layouts;
  layouts.push_back(Layout::nhwc);
  constexpr std::int64_t kWide = 16, kNarrow = 8;
  const bool is_wide = machine.vector.lanes >= kWide;
  if ((*value.shape)[1] % (is_wide ? kWide : kNarrow) == 0)
    layouts.push_back(is_wide ? Layout::nChw16c : Layout::nChw8c);
  return layouts;
}

bool is_same_order(const GraphValue& value, Layout first, Layout second) {
  if (first == second || !value.shape || value.shape->size() < 3) return true;
  const Extents& shape = *value.shape;
  const auto is_row_major = [&](Layout layout) {
    return layout == Layout::nchw || shape[1] == 1 ||
           elements_of({shape.begin() + 2, shape.end()}) == 1;
  };
  return is_row_major(first) && is_row_major(second);
}

double conversion_seconds(const GraphValue& value, Layout from, Layout to, const Machine& machine) {
  const double bytes = bytes_of_value(value);
  const CacheLevel* link = link_of(machine, 2 * bytes);
  const double copying = link ? link_seconds(*link, 2 * bytes, bytes) : 0;
  // Conversions other than transpositions follow tables of offsets, which takes about twice as long
  // per element.
  constexpr double kTables = 2;
  const std::int64_t element = bytes_of_type(value.type);
  const double tables = is_transposition(*value.shape, from, to, element) ? 1 : kTables;
  const double cycles =
      tables * machine.rates.overheads.transposed_cycles * bytes / static_cast<double>(element);
  return std::max(copying, machine.clock.hertz > 0 ? cycles / machine.clock.hertz : 0);
}

double streaming_seconds(const Graph& graph, const GraphNode& node, const Machine& machine) {
  double read = 0, written = 0;
  for (const int input : node.inputs)
    if (input >= 0) read += bytes_of_value(graph.values[static_cast<std::size_t>(input)]);
  for (const int output : node.outputs)
    if (output >= 0) written += bytes_of_value(graph.values[static_cast<std::size_t>(output)]);
  const CacheLevel* link = link_of(machine, read + written);
  return link ? link_seconds(*link, read + written, written) : 0;
}

namespace {

/// Returns the cycles of an operator without a kernel, or 0 where streaming_seconds() alone
/// predicts the time. The rates are rounded measurements of one machine.
double operator_cycles(const NodeView& node, Layout layout, const Machine& machine) {
  constexpr double kCyclesPerMove = 0.8, kCyclesPerTap = 3, kCyclesPerWindow = 12,
                   kCyclesPerNormalised = 4;
  const auto outputs = static_cast<double>(elements_of(node.out_shape()));
  if (is_move(node.kind())) return kCyclesPerMove * outputs;
  if (node.kind() == "LRN") return kCyclesPerNormalised * outputs;
  // In nchw, pools are assumed to compute one pixel at a time, because with a stride, neighbouring
  // outputs read inputs that are not contiguous.
  const auto lanes = static_cast<double>(machine.vector.lanes);
  const double per_tap = layout == Layout::nchw ? 1 : kCyclesPerTap / lanes;
  if (node.kind() == "GlobalAveragePool")
    return per_tap * static_cast<double>(elements_of(node.shape(0)));
  if (node.kind() != "MaxPool" && node.kind() != "AveragePool") return 0;
  return outputs *
         (kCyclesPerWindow / lanes + per_tap * static_cast<double>(elements_of(pool_window(node))));
}

bool is_outside(const Graph& graph, int value) {
  return std::ranges::count(graph.inputs, value) + std::ranges::count(graph.outputs, value) > 0;
}

/// Returns true when the result of a Reshape can lie where its input does, which saves the copy.
bool reshapes_in_place(const Graph& graph, const GraphNode& node) {
  if (node.kind != "Reshape") return false;
  const int in = node.inputs[0];
  return !is_outside(graph, in) && !is_outside(graph, node.outputs[0]) &&
         !graph.values[static_cast<std::size_t>(in)].constant;
}

/// Returns true when a Concat needs no copy, because the nodes before it can write into its output.
/// This requires that each input is contiguous in the output, that no Concat reads it a second
/// time, that no input is a constant, and that neither the inputs nor the output of the Concat are
/// inputs or outputs of the graph.
bool joins_in_place(const Graph& graph, const GraphNode& node, Layout layout) {
  if (node.kind != "Concat" || layout == Layout::nhwc) return false;
  const NodeView view(graph, node);
  const Extents& shape = view.out_shape();
  const std::size_t axis = view.axis(view.integer("axis", 1), shape.size());
  const auto end = shape.begin() + static_cast<std::ptrdiff_t>(axis);
  const auto is_shared = [&](int input) {
    std::ptrdiff_t places = 0;
    for (const GraphNode& each : graph.nodes)
      if (each.kind == "Concat") places += std::ranges::count(each.inputs, input);
    return places > 1 || is_outside(graph, input) ||
           graph.values[static_cast<std::size_t>(input)].constant;
  };
  return elements_of({shape.begin(), end}) == 1 && (layout == Layout::nchw || axis == 1) &&
         !is_outside(graph, node.outputs[0]) && std::ranges::none_of(node.inputs, is_shared);
}

}  // namespace

double operator_seconds(const Graph& graph, const GraphNode& node, Layout layout,
                        const Machine& machine) {
  const double streaming = streaming_seconds(graph, node, machine);
  if (!node.not_understood.empty() || machine.clock.hertz <= 0) return streaming;
  if (joins_in_place(graph, node, layout) || reshapes_in_place(graph, node)) return 0;
  return std::max(streaming,
                  operator_cycles(NodeView(graph, node), layout, machine) / machine.clock.hertz);
}

Layout needed_layout(const GraphNode& node, std::size_t i, const LayoutAlternative& alternative) {
  constexpr std::size_t kResidual = 3;
  const bool has_residual = node.kind == "Conv" || node.kind == "Product";
  return has_residual && i == kResidual ? alternative.out : alternative.in;
}

ChosenLayouts choose_layouts(const Graph& graph, const LayoutAlternatives& alternatives,
                             const Machine& machine) {
  const LayoutSum sum(graph, alternatives, machine);
  const Minimum minimum = minimise(sum.sum());
  ChosenLayouts chosen;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n)
    chosen.alternatives.push_back(static_cast<std::size_t>(minimum.values[n]));
  chosen.proof.seconds = minimum.cost;
  chosen.proof.bound = minimum.bound;
  chosen.proof.runner_up_seconds = std::isfinite(minimum.runner_up) ? minimum.runner_up : 0;
  return chosen;
}

std::vector<std::optional<SecondBest>> second_best_choices(const Graph& graph,
                                                           const LayoutAlternatives& alternatives,
                                                           const Machine& machine,
                                                           const ChosenLayouts& chosen) {
  CostSum sum = LayoutSum(graph, alternatives, machine).sum();
  std::vector<std::optional<SecondBest>> choices(alternatives.size());
  for (std::size_t n = 0; n < alternatives.size(); ++n) {
    if (alternatives[n].size() < 2) continue;
    CostTable forbidden{.scope = {static_cast<int>(n)},
                        .costs = std::vector<double>(alternatives[n].size())};
    forbidden.costs[chosen.alternatives[n]] = kForbiddenCost;
    sum.tables.push_back(std::move(forbidden));
    const Minimum minimum = minimise(sum);
    sum.tables.pop_back();
    if (std::isfinite(minimum.cost))
      choices[n] = {static_cast<std::size_t>(minimum.values[n]), minimum.cost};
  }
  return choices;
}

}  // namespace tileplan
