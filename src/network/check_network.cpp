// SPDX-License-Identifier: Apache-2.0
// This file compares the results of steps and of a whole network with those of plain loops.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <optional>
#include <span>

#include "compare.h"
#include "computation.h"
#include "network_code.h"
#include "network_tensors.h"
#include "operators.h"
#include "plain_graph.h"
#include "quantised.h"
#include "softmax_lists.h"
#include "tileplan/error.h"
#include "winograd_error.h"
#include "winograd_reference.h"
#include "winograd_rules.h"

namespace tileplan {

double reduction_length(const NodeView& node) {
  const std::string& kind = node.kind();
  if (kind == "Conv") {
    const std::int64_t terms =
        elements_of(node.shape(1)) / std::max<std::int64_t>(1, node.shape(1)[0]);
    return static_cast<double>(terms);
  }
  if (is_product(kind)) return static_cast<double>(product_of(node).k);
  const auto inputs = static_cast<double>(elements_of(node.shape(0)));
  const auto outputs = static_cast<double>(elements_of(node.out_shape()));
  // The averaged numbers often have the same sign. Rounding errors then grow with the length of the
  // sum instead of its square root, so the length is squared here.
  if (kind == "GlobalAveragePool" || kind == "ReduceMean")
    return inputs / outputs * (inputs / outputs);
  if (kind == "Softmax") return static_cast<double>(softmax_lists(node).count);
  if (kind == "AveragePool") return static_cast<double>(elements_of(pool_window(node)));
  if (kind == "LRN") return static_cast<double>(node.integer("size", 1));
  return 1;
}

namespace {

/// Returns the tolerance of sums of `length` terms, where `largest` is the largest absolute value
/// of a sum. Rounding errors grow with the square root of the length. The factor leaves room for
/// functions such as exp.
double tolerance_of(double length, double largest) {
  constexpr double kFactor = 16, kEpsilon = 1.1920929e-7;
  return kFactor * kEpsilon * std::sqrt(std::max(1.0, length)) * largest;
}

/// Returns the largest absolute value. Values that are not finite do not count, because a tolerance
/// follows from the result.
double largest(std::span<const float> values) {
  double most = 0;
  for (const float value : values)
    if (std::isfinite(value)) most = std::max(most, static_cast<double>(std::abs(value)));
  return most;
}

bool is_finite_or_equal(double a, double b) {
  return (std::isfinite(a) && std::isfinite(b)) || a == b || (std::isnan(a) && std::isnan(b));
}

std::vector<double> doubles_of(const Numbers& numbers) {
  return std::visit([](const auto& list) { return std::vector<double>(list.begin(), list.end()); },
                    numbers);
}

/// Compares numbers of one type. Numbers that are not f32 must be equal. For f32, the tolerance
/// grows with `length` (tolerance_of).
Check compare_numbers(const Numbers& got_numbers, const Numbers& expected_numbers, double length) {
  const std::vector<double> got = doubles_of(got_numbers), expected = doubles_of(expected_numbers);
  Check check{.compared = got.size()};
  double largest = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const bool both = std::isfinite(got[i]) && std::isfinite(expected[i]);
    double error = both ? std::abs(got[i] - expected[i]) : 0;
    if (!is_finite_or_equal(got[i], expected[i])) error = std::numeric_limits<double>::infinity();
    if (std::isfinite(expected[i])) largest = std::max(largest, std::abs(expected[i]));
    if (error <= check.largest_error) continue;
    check.largest_error = error;
    check.worst_index = i;
    check.expected = expected[i];
    check.got = got[i];
  }
  const bool is_real = std::holds_alternative<std::vector<float>>(expected_numbers);
  check.tolerance = is_real ? tolerance_of(length, largest) : 0;
  return check;
}

/// Runs a network step by step, and compares the results of each step that has work with those of
/// plain loops, and the outputs of the network with those of a run by plain loops.
class StepChecker {
 public:
  StepChecker(const CompiledNetwork& network, std::uint64_t seed)
      : network_(network),
        plan_(network.plan()),
        graph_(*plan_.rewritten),
        tensors_(graph_, seed),
        workspace_(network.make_workspace()) {
    for (const GraphNode& node : graph_.nodes)
      for (const int input : node.inputs)
        if (input >= 0 && lacks_numbers(input))
          throw Error("check: the weights of node " + node.name +
                      " are packed; the network must be planned from its model");
  }

  NetworkCheck check() {
    NetworkCheck result;
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      const NetworkStep& step = plan_.steps[s];
      std::deque<Numbers> copies;
      PlainInputs inputs;
      for (const int input : step.inputs) inputs.push_back(input_numbers(input, copies));
      network_.run_steps(s, s + 1, tensors_.input_views, tensors_.output_views, workspace_);
      if (!step.in_place) result.steps.push_back(check_step(step, inputs));
    }
    result.outputs = check_outputs();
    return result;
  }

 private:
  bool lacks_numbers(int value) const {
    const GraphValue& found = graph_.values[static_cast<std::size_t>(value)];
    return found.constant && !found.numbers;
  }

  /// Returns the numbers of a buffer in row-major order. The list is empty for omitted tensors and
  /// tensors of unknown shape.
  Numbers row_major_copy(int at) {
    if (at < 0) return {};
    const NetworkBuffer& buffer = plan_.buffers[static_cast<std::size_t>(at)];
    const GraphValue& value = graph_.values[static_cast<std::size_t>(buffer.value)];
    if (!value.shape) return {};
    const char* from = workspace_.data() + buffer.offset;
    const auto index = static_cast<std::size_t>(std::max(0, buffer.index));
    if (buffer.place == NetworkBuffer::Place::input) from = tensors_.input_views[index].data();
    if (buffer.place == NetworkBuffer::Place::output) from = tensors_.output_views[index].data();
    Numbers copy = zeros(value);
    const auto* const in = reinterpret_cast<const float*>(from);
    auto* const out = reinterpret_cast<float*>(view_of(copy).data());
    conversion_of(*value.shape, buffer.layout, Layout::nchw,
                  bytes_of_type(value.type))({&in, &out});
    return copy;
  }

  /// Returns the numbers of an input of a step: those of a constant, a copy that is added to
  /// `copies`, or null for an omitted tensor.
  const Numbers* input_numbers(int at, std::deque<Numbers>& copies) {
    if (at < 0) return nullptr;
    const NetworkBuffer& buffer = plan_.buffers[static_cast<std::size_t>(at)];
    if (buffer.place == NetworkBuffer::Place::constant)
      return graph_.values[static_cast<std::size_t>(buffer.value)].numbers.get();
    return &copies.emplace_back(row_major_copy(at));
  }

  StepCheck check_step(const NetworkStep& step, const PlainInputs& inputs) {
    StepCheck result{.name = step.name, .kind = step.kind};
    const Numbers got = row_major_copy(step.outputs[0]);
    if (step.node < 0) {
      result.check = compare_numbers(got, *inputs[0], 0);
      return result;
    }
    const NodeView node(graph_, graph_.nodes[static_cast<std::size_t>(step.node)]);
    const std::vector<Numbers> expected = compute_plain(node, inputs);
    result.check = tiles_of(step) ? compare_winograd(step, inputs, got, expected[0])
                                  : compare_numbers(got, expected[0], reduction_length(node));
    for (std::size_t i = 1; i < step.outputs.size() && i < expected.size(); ++i) {
      if (step.outputs[i] < 0) continue;
      const Check more = compare_numbers(row_major_copy(step.outputs[i]), expected[i], 1);
      if (!more.passed()) result.check = more;
    }
    return result;
  }

  /// Returns the tiles of a step that a Winograd kernel computes, or nothing.
  std::optional<WinogradTiles> tiles_of(const NetworkStep& step) const {
    if (step.layer < 0) return std::nullopt;
    return plan_of_step(step).candidates.front().schedule.winograd;
  }
  const Plan& plan_of_step(const NetworkStep& step) const {
    return plan_.layers[static_cast<std::size_t>(step.layer)].plan;
  }

  /// Compares the outputs of a Winograd kernel, each of which has its own tolerance.
  Check compare_winograd(const NetworkStep& step, const PlainInputs& inputs,
                         const Numbers& got_numbers, const Numbers& expected_numbers) const {
    const auto& got = std::get<std::vector<float>>(got_numbers);
    const auto& floats = std::get<std::vector<float>>(expected_numbers);
    const Problem& problem = plan_of_step(step).problem;
    const Computation computation = computation_of(problem);
    const auto layout = [&](Operand operand) {
      return layout_of(computation, operand, Layout::plain);
    };
    const auto view = [&](std::size_t i, Operand operand) -> TensorView {
      return {std::span(floats_of(inputs, i)), layout(operand)};
    };
    const Operands operands{view(0, Operand::input), view(1, Operand::weights)};
    const std::vector<double> expected(floats.begin(), floats.end());
    constexpr std::size_t kResidual = 3;
    double magnitude = largest(floats);
    if (inputs.size() > kResidual && inputs[kResidual])
      magnitude += largest(floats_of(inputs, kResidual));
    const std::vector<double> tolerances = winograd_tolerances(
        computation, operands, layout(Operand::output), winograd_tile(problem, *tiles_of(step)),
        {plan_of_step(step).options.epilogue, magnitude});
    return compare_within(computation, layout(Operand::output), got, expected, tolerances);
  }

  /// Returns reduction_length() of the node of a step, or 0 if there is none. For a Winograd step,
  /// returns the length that a direct computation with the same error would have.
  double error_length(const NetworkStep& step) const {
    if (step.node < 0) return 0;
    const auto at = static_cast<std::size_t>(step.node);
    const double length = reduction_length(NodeView(graph_, graph_.nodes[at]));
    const std::optional<WinogradTiles> tiles = tiles_of(step);
    if (!tiles) return length;
    const double growth = error_growth(winograd_tile(plan_of_step(step).problem, *tiles));
    return length * std::max(1.0, growth * growth);
  }

  std::vector<StepCheck> check_outputs() {
    double length = 0;
    for (const NetworkStep& step : plan_.steps) length += error_length(step);
    // If the rewritten graph has quantised layers, it is the reference, because the given graph may
    // compute these layers in f32 and round differently.
    const bool is_quantised = std::ranges::any_of(
        graph_.nodes, [](const GraphNode& node) { return is_quantised_layer(node.kind); });
    const Graph& given = is_quantised ? graph_ : *plan_.graph;
    const auto expected = run_plain(given, tensors_.inputs);
    std::vector<StepCheck> checks;
    for (std::size_t i = 0; i < tensors_.outputs.size(); ++i) {
      const int at = given.outputs[i];
      const Numbers& numbers = *expected[static_cast<std::size_t>(at)];
      checks.push_back({.name = given.values[static_cast<std::size_t>(at)].name,
                        .kind = "output",
                        .check = compare_outputs(tensors_.outputs[i], numbers, length)});
    }
    return checks;
  }

  /// Compares an output of the network. A rounding error of a sum in f32 can change the integer to
  /// which a network rounds the sum, and all later results. If a network has sums and quantises
  /// f32, an output may therefore differ by a share of its largest number.
  Check compare_outputs(const Numbers& got, const Numbers& expected, double length) const {
    constexpr double kShare = 1.0 / 16;
    Check check = compare_numbers(got, expected, length);
    const bool rounds = std::ranges::any_of(
        graph_.nodes, [](const GraphNode& node) { return node.kind.ends_with("QuantizeLinear"); });
    const bool has_sums = std::ranges::any_of(graph_.nodes, [&](const GraphNode& node) {
      return reduction_length(NodeView(graph_, node)) > 1;
    });
    if (!rounds || !has_sums) return check;
    const bool is_real = std::holds_alternative<std::vector<float>>(expected);
    double largest = is_real ? 0 : 1 / kShare;  // An integer may always differ by one.
    for (const double number : doubles_of(expected))
      if (std::isfinite(number)) largest = std::max(largest, std::abs(number));
    check.tolerance = std::max(check.tolerance, kShare * largest);
    return check;
  }

  const CompiledNetwork& network_;
  const NetworkPlan& plan_;
  const Graph& graph_;
  NetworkTensors tensors_;
  Workspace workspace_;
};

}  // namespace

bool NetworkCheck::passed() const {
  const auto passes = [](const StepCheck& each) { return each.check.passed(); };
  return std::ranges::all_of(steps, passes) && std::ranges::all_of(outputs, passes);
}

NetworkCheck check_network(const CompiledNetwork& network, std::uint64_t seed) {
  return StepChecker(network, seed).check();
}

}  // namespace tileplan
