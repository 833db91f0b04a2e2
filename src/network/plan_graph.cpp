// SPDX-License-Identifier: Apache-2.0
// This file plans each distinct layer of a graph once, then chooses layouts and places tensors.
#include "plan_graph.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <tuple>

#include "coverage.h"
#include "fast_operators.h"
#include "network_memory.h"
#include "operators.h"
#include "quantised.h"
#include "rewrite.h"
#include "run_all.h"
#include "tileplan/error.h"
#include "winograd_text.h"

namespace tileplan {
namespace {

/// Returns the extents of `value`, or null when they are unknown or `value` is -1.
const Extents* known_shape(const Graph& graph, int value) {
  if (value < 0) return nullptr;
  const auto& shape = graph.values[static_cast<std::size_t>(value)].shape;
  return shape ? &*shape : nullptr;
}

/// Returns the number of multiply-adds per output of a layer with this first input, number of
/// weights and number of output channels.
double steps_per_output(const GraphNode& node, const Extents& first, double weights,
                        std::int64_t outputs) {
  if (node.kind == "Conv") return weights / std::max<double>(1, static_cast<double>(outputs));
  const auto flag = node.attributes.find("transA");
  const bool transposed =
      flag != node.attributes.end() && flag->second != Attribute(std::int64_t{0});
  return static_cast<double>(transposed ? first.front() : first.back());
}

/// Returns an entry for a node without a plan. For convolutions and products of known shape, the
/// entry contains the work, which is one multiply-add per output and weight that the output depends
/// on, and the bytes of the tensors. For quantised layers, it contains only the work.
SkippedLayer skipped_node(const Graph& graph, const GraphNode& node, const std::string& reason) {
  const auto was = node.attributes.find("was");
  const auto* kind =
      was == node.attributes.end() ? nullptr : std::get_if<std::string>(&was->second);
  SkippedLayer entry{.name = node.name, .kind = kind ? *kind : node.kind, .reason = reason};
  if (entry.kind == "Product") entry.kind = "MatMul";
  if (is_quantised_layer(node.kind)) {
    entry.flops = skipped_node(graph, plain_layer(node), reason).flops;
    return entry;
  }
  if (!is_layer(node) || node.inputs.size() < 2 || node.outputs.empty()) return entry;
  const Extents *first = known_shape(graph, node.inputs[0]),
                *second = known_shape(graph, node.inputs[1]),
                *output = known_shape(graph, node.outputs[0]);
  if (!first || !second || !output || first->size() < 2 || second->empty()) return entry;
  const auto elements = [](const Extents& shape) {
    return std::accumulate(shape.begin(), shape.end(), 1.0, std::multiplies<>());
  };
  // Tensors are assumed to be f32, because their element type may be unknown.
  constexpr double kBytes = 4;
  entry.flops =
      2 * elements(*output) * steps_per_output(node, *first, elements(*second), second->front());
  entry.bytes = kBytes * (elements(*first) + elements(*second) + elements(*output));
  return entry;
}

/// Returns "direct" or the text of the tiles of a Winograd schedule, such as "winograd=4x4".
std::string algorithm_text(const Schedule& schedule) {
  if (!schedule.winograd) return to_string(Algorithm::direct);
  return text_of(*schedule.winograd).substr(1);
}

/// Plans one graph: its layers, the layouts of its tensors, and their places in memory.
class GraphPlanner {
 public:
  GraphPlanner(const Graph& graph, const Machine& machine, const NetworkOptions& options)
      : machine_(machine), options_(options) {
    network_.machine = machine;
    network_.graph = std::make_shared<const Graph>(graph);
    network_.rewritten = std::make_shared<const Graph>(rewritten(graph));
  }

  /// Returns the plan of the best alternatives. If the generator `drawn` is given, it draws
  /// alternatives at random instead.
  NetworkPlan plan(std::mt19937_64* drawn = nullptr) {
    layers_ = graph_layers(*network_.rewritten);
    for (const SkippedLayer& each : layers_.skipped) add_unplanned(network_.unplanned, each);
    plan_layers();
    const LayoutAlternatives alternatives = all_alternatives();
    const ChosenLayouts chosen = drawn ? random_choices(alternatives, *drawn)
                                       : choose_layouts(graph(), alternatives, machine_);
    const std::vector<int> of_node = add_layers(chosen);
    if (is_understood()) make_steps(network_, alternatives, chosen, of_node);
    if (options_.second_best) add_second_best(alternatives, chosen);
    count_operations(network_);
    return std::move(network_);
  }

 private:
  const Graph& graph() const { return *network_.rewritten; }
  const GraphValue& value(int at) const { return graph().values[static_cast<std::size_t>(at)]; }

  /// Returns the bytes of all inputs, weights and results, which each run reads or writes, plus 4,
  /// at most 2^40. Layers that Winograd convolutions may compute are assumed to have four times as
  /// many transformed weights: with tiles of 4 x 4 outputs, 9 of a 3 x 3 filter become 36.
  std::int64_t network_bytes() const {
    constexpr std::int64_t kMost = std::int64_t{1} << 40, kGrowth = 36 / 9;
    const auto bytes_of = [&](int at) {
      return std::min(kMost, bytes_of_type(value(at).type) * elements_of(*value(at).shape));
    };
    std::set<int> values;
    std::int64_t bytes = 4;
    for (std::size_t n = 0; n < graph().nodes.size(); ++n) {
      const GraphNode& node = graph().nodes[n];
      for (const auto* list : {&node.inputs, &node.outputs})
        values.insert(list->begin(), list->end());
      if (transforms_weights(layers_.of_node[n]))
        bytes = std::min(kMost, bytes + (kGrowth - 1) * bytes_of(node.inputs[1]));
    }
    for (const int each : values)
      if (each >= 0 && value(each).shape) bytes = std::min(kMost, bytes + bytes_of(each));
    return bytes;
  }

  /// Returns true when a Winograd convolution may compute the layer.
  bool transforms_weights(int layer) const {
    return layer >= 0 && options_.plan.algorithm != Algorithm::direct &&
           allows_winograd(layers_.layers[static_cast<std::size_t>(layer)].problem,
                           options_.plan.max_error);
  }

  Regime layer_regime() const {
    const bool as_in_network = options_.as_in_network && options_.plan.regime == Regime::hot;
    return as_in_network ? Regime::network(network_bytes()) : options_.plan.regime;
  }

  void plan_layers() {
    if (layers_.layers.empty()) return;
    const Regime regime = layer_regime();
    LayerPlanner planner(machine_, options_);
    plans_.resize(layers_.layers.size());
    std::vector<std::string> reasons(plans_.size());
    const auto plan_one = [&](std::size_t i) {
      // With this many candidates, plans have each algorithm and pair of layouts that is predicted
      // to take at most 1.5 times as long as the fastest (rank.h).
      constexpr int kCandidates = 64;
      const LayerProblem& layer = layers_.layers[i];
      try {
        plans_[i] = planner.plan_layer(layer.problem, layer.epilogue,
                                       std::max(kCandidates, options_.plan.top), regime);
      } catch (const Error& error) {
        reasons[i] = error.what();
      }
    };
    plan_each(plan_one);
    for (std::size_t i = 0; i < reasons.size(); ++i)
      if (!reasons[i].empty())
        for (const std::string& name : nodes_of(graph(), layers_, static_cast<int>(i)))
          add_unplanned(network_.unplanned,
                        dropped_layer(name, layers_.layers[i].problem, reasons[i]));
  }

  /// Calls `plan_one` for all problems, on all cores unless plans include measurements, which would
  /// disturb each other.
  void plan_each(const std::function<void(std::size_t)>& plan_one) const {
    const auto all = static_cast<int>(plans_.size());
    if (options_.plan.verify == 0) return run_all(plans_.size(), options_.progress, plan_one);
    for (int done = 0; done < all; ++done) {
      if (options_.progress) options_.progress(done, all);
      plan_one(static_cast<std::size_t>(done));
    }
  }

  static Layout stored(Layout layout) { return layout == Layout::plain ? Layout::nchw : layout; }

  /// Returns the position of the first candidate of each algorithm and pair of layouts that the
  /// tensors of `node` can have.
  std::vector<std::size_t> candidates_of(const GraphNode& node, const Plan& plan) const {
    const std::vector<Layout> in = layouts_of(value(node.inputs[0]), machine_),
                              out = layouts_of(value(node.outputs[0]), machine_);
    const auto has = [](const std::vector<Layout>& list, Layout layout) {
      return std::ranges::find(list, stored(layout)) != list.end();
    };
    std::vector<std::size_t> chosen;
    std::set<std::tuple<Layout, Layout, bool>> seen;
    for (std::size_t i = 0; i < plan.candidates.size(); ++i) {
      const Schedule& schedule = plan.candidates[i].schedule;
      if (has(in, schedule.in) && has(out, schedule.out) &&
          seen.emplace(schedule.in, schedule.out, schedule.winograd.has_value()).second)
        chosen.push_back(i);
    }
    return chosen;
  }

  static double seconds_of(const Candidate& candidate) {
    return candidate.measurement ? candidate.measurement->median_seconds
                                 : candidate.prediction.seconds;
  }

  static ChosenLayouts random_choices(const LayoutAlternatives& alternatives,
                                      std::mt19937_64& drawn) {
    ChosenLayouts chosen;
    for (const auto& list : alternatives) chosen.alternatives.push_back(drawn() % list.size());
    return chosen;
  }

  LayoutAlternatives all_alternatives() {
    LayoutAlternatives alternatives;
    for (std::size_t n = 0; n < graph().nodes.size(); ++n) {
      const GraphNode& node = graph().nodes[n];
      const int layer = layers_.of_node[n];
      candidates_.emplace_back();
      if (layer >= 0)
        candidates_.back() = candidates_of(node, plans_[static_cast<std::size_t>(layer)]);
      if (candidates_.back().empty()) {
        alternatives.push_back(plain_alternatives(graph(), node, machine_));
        continue;
      }
      alternatives.emplace_back();
      for (const std::size_t i : candidates_.back()) {
        const Candidate& each = plans_[static_cast<std::size_t>(layer)].candidates[i];
        alternatives.back().push_back({.in = stored(each.schedule.in),
                                       .out = stored(each.schedule.out),
                                       .seconds = seconds_of(each)});
      }
    }
    return alternatives;
  }

  /// Adds one layer per problem and chosen candidate. Returns the layer of each node, or -1.
  std::vector<int> add_layers(const ChosenLayouts& chosen) {
    std::map<std::pair<int, std::size_t>, int> known;
    std::vector<int> of_node;
    for (std::size_t n = 0; n < graph().nodes.size(); ++n) {
      of_node.push_back(-1);
      if (candidates_[n].empty()) continue;
      const int problem = layers_.of_node[n];
      const std::size_t candidate = candidates_[n][chosen.alternatives[n]];
      const auto [found, is_new] =
          known.emplace(std::pair(problem, candidate), static_cast<int>(network_.layers.size()));
      of_node.back() = found->second;
      ++network_.planned;
      if (!is_new) {
        NetworkLayer& layer = network_.layers[static_cast<std::size_t>(found->second)];
        layer.others.push_back(graph().nodes[n].name);
        ++layer.count;
        continue;
      }
      network_.layers.push_back(
          {.name = graph().nodes[n].name, .plan = plan_with_first(problem, candidate)});
    }
    return of_node;
  }

  /// Returns a problem's plan with `candidate` first and at most max(top, verify) candidates.
  Plan plan_with_first(int problem, std::size_t candidate) const {
    Plan plan = plans_[static_cast<std::size_t>(problem)];
    const auto chosen = plan.candidates.begin() + static_cast<std::ptrdiff_t>(candidate);
    std::rotate(plan.candidates.begin(), chosen, chosen + 1);
    const auto kept = static_cast<std::size_t>(std::max(options_.plan.top, options_.plan.verify));
    if (plan.candidates.size() > kept)
      plan.candidates.erase(plan.candidates.begin() + static_cast<std::ptrdiff_t>(kept),
                            plan.candidates.end());
    plan.options.top = options_.plan.top;
    return plan;
  }

  /// Returns a text for an alternative such as "winograd=4x4, nhwc to nhwc".
  std::string choice_text(std::size_t node, const LayoutAlternative& alternative,
                          std::size_t place) const {
    std::string text;
    if (!candidates_[node].empty()) {
      const auto layer = static_cast<std::size_t>(layers_.of_node[node]);
      text = algorithm_text(plans_[layer].candidates[candidates_[node][place]].schedule) + ", ";
    }
    return text + to_string(alternative.in) + " to " + to_string(alternative.out);
  }

  void add_second_best(const LayoutAlternatives& alternatives, const ChosenLayouts& chosen) {
    const auto choices = second_best_choices(graph(), alternatives, machine_, chosen);
    for (NetworkStep& step : network_.steps) {
      const auto node = static_cast<std::size_t>(std::max(0, step.node));
      if (step.node < 0 || !choices[node]) continue;
      const std::size_t place = choices[node]->alternative;
      step.second_best = choice_text(node, alternatives[node][place], place);
      step.second_best_seconds = choices[node]->seconds;
    }
  }

  bool is_understood() const {
    return std::ranges::all_of(graph().nodes,
                               [](const GraphNode& node) { return node.not_understood.empty(); });
  }

  const Machine& machine_;
  const NetworkOptions& options_;
  NetworkPlan network_;
  GraphLayers layers_;
  std::vector<Plan> plans_;
  std::vector<std::vector<std::size_t>> candidates_;
};

}  // namespace

namespace {

/// Returns the layouts other than nchw that all tensors of `node` can have. A constant with fewer
/// than three dimensions can have any layout.
std::set<Layout> common_layouts(const Graph& graph, const GraphNode& node, const Machine& machine) {
  std::set<Layout> common{Layout::nhwc};
  // LRN adds squares of neighbouring channels, which blocked layouts would separate.
  if (node.kind != "LRN") common.insert({Layout::nChw16c, Layout::nChw8c});
  for (const auto* list : {&node.inputs, &node.outputs})
    for (const int each : *list) {
      if (each < 0) continue;
      const GraphValue& value = graph.values[static_cast<std::size_t>(each)];
      if (value.constant && value.shape->size() < 3) continue;
      const std::vector<Layout> layouts = layouts_of(value, machine);
      std::erase_if(common, [&](Layout layout) {
        return std::ranges::find(layouts, layout) == layouts.end();
      });
    }
  return common;
}

/// Returns the problem of a node. Throws NotUnderstood when no kernel can compute the node.
LayerProblem problem_of(const Graph& graph, const GraphNode& node) {
  if (is_layer(node)) return layer_problem(NodeView(graph, node));
  if (!node.not_understood.empty()) throw NotUnderstood{node.not_understood};
  throw NotUnderstood{node.kind + " is neither a convolution nor a product"};
}

/// Returns the position of `layer` in `layers`, where it is added if it is new.
int place_of(std::vector<LayerProblem>& layers, LayerProblem layer) {
  const auto equal = std::ranges::find_if(layers, [&](const LayerProblem& each) {
    return each.problem == layer.problem && each.epilogue == layer.epilogue;
  });
  const auto place = static_cast<int>(equal - layers.begin());
  if (equal == layers.end()) layers.push_back(std::move(layer));
  return place;
}

}  // namespace

std::vector<LayoutAlternative> plain_alternatives(const Graph& graph, const GraphNode& node,
                                                  const Machine& machine) {
  const auto seconds = [&](Layout layout) {
    return operator_seconds(graph, node, layout, machine);
  };
  std::vector<LayoutAlternative> alternatives{{.seconds = seconds(Layout::nchw)}};
  if (!node.not_understood.empty() || is_layer(node) || !works_in_any_layout(graph, node))
    return alternatives;
  for (const Layout layout : common_layouts(graph, node, machine))
    if (layout != Layout::nchw)
      alternatives.push_back({.in = layout, .out = layout, .seconds = seconds(layout)});
  return alternatives;
}

GraphLayers graph_layers(const Graph& graph) {
  GraphLayers found;
  for (const GraphNode& node : graph.nodes) {
    found.of_node.push_back(-1);
    try {
      found.of_node.back() = place_of(found.layers, problem_of(graph, node));
    } catch (const NotUnderstood& why) {
      found.skipped.push_back(skipped_node(graph, node, why.reason));
    }
  }
  return found;
}

std::vector<std::string> nodes_of(const Graph& graph, const GraphLayers& layers, int layer) {
  std::vector<std::string> names;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n)
    if (layers.of_node[n] == layer) names.push_back(graph.nodes[n].name);
  return names;
}

NetworkPlan plan_at_random(const Graph& graph, const Machine& machine,
                           const NetworkOptions& options, std::uint64_t seed) {
  std::mt19937_64 drawn(seed);
  return GraphPlanner(graph, machine, options).plan(&drawn);
}

NetworkPlan plan_network(const Graph& graph, const Machine& machine,
                         const NetworkOptions& options) {
  NetworkPlan network = GraphPlanner(graph, machine, options).plan();
  network.name = graph.name;
  if (network.layers.empty())
    throw Error((graph.name.empty() ? "graph" : graph.name) + ": " +
                nothing_to_plan_text(network.unplanned));
  return network;
}

}  // namespace tileplan
