// SPDX-License-Identifier: Apache-2.0
// Compares each step with plain loops, and times whole networks.
#include <algorithm>
#include <cmath>
#include <optional>

#include "network_code.h"
#include "operators.h"
#include "plain_graph.h"
#include "runner.h"
#include "tileplan/error.h"

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
  // Numbers of one sign are usual here, and then errors grow with the length of the sum.
  if (kind == "GlobalAveragePool" || kind == "ReduceMean")
    return inputs / outputs * (inputs / outputs);
  if (kind == "Softmax") return static_cast<double>(node.shape(0).back());
  if (kind == "AveragePool") return static_cast<double>(elements_of(pool_window(node)));
  if (kind == "LRN") return static_cast<double>(node.integer("size", 1));
  return 1;
}

namespace {

/// Rounding errors of sums grow with the square root of their length. The factor leaves room for
/// functions such as exp.
double tolerance_of(double length, double largest) {
  constexpr double kFactor = 16, kEpsilon = 1.1920929e-7;
  return kFactor * kEpsilon * std::sqrt(std::max(1.0, length)) * largest;
}

bool is_finite_or_equal(float a, float b) {
  return (std::isfinite(a) && std::isfinite(b)) || a == b || (std::isnan(a) && std::isnan(b));
}

Check compare_floats(std::span<const float> got, std::span<const float> expected, double length) {
  Check check{.compared = got.size()};
  double largest = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const bool both = std::isfinite(got[i]) && std::isfinite(expected[i]);
    double error =
        both ? std::abs(static_cast<double>(got[i]) - static_cast<double>(expected[i])) : 0;
    if (!is_finite_or_equal(got[i], expected[i])) error = std::numeric_limits<double>::infinity();
    if (std::isfinite(expected[i]))
      largest = std::max(largest, static_cast<double>(std::abs(expected[i])));
    if (error <= check.largest_error) continue;
    check.largest_error = error;
    check.worst_index = i;
    check.expected = expected[i];
    check.got = got[i];
  }
  check.tolerance = tolerance_of(length, largest);
  return check;
}

/// Holds random inputs and the outputs of one network.
struct NetworkTensors {
  std::vector<std::vector<float>> inputs, outputs;
  std::vector<std::span<const float>> input_spans;
  std::vector<std::span<float>> output_spans;

  NetworkTensors(const Graph& graph, std::uint64_t seed) {
    for (const int input : graph.inputs) {
      inputs.emplace_back(elements(graph, input));
      fill_random(std::span(inputs.back()), seed++);
    }
    for (const int output : graph.outputs) outputs.emplace_back(elements(graph, output));
    input_spans.assign(inputs.begin(), inputs.end());
    output_spans.assign(outputs.begin(), outputs.end());
  }

 private:
  static std::size_t elements(const Graph& graph, int value) {
    return static_cast<std::size_t>(
        elements_of(*graph.values[static_cast<std::size_t>(value)].shape));
  }
};

/// Runs a network step by step.
class StepChecker {
 public:
  StepChecker(const CompiledNetwork& network, std::uint64_t seed)
      : network_(network),
        plan_(network.plan()),
        graph_(*plan_.rewritten),
        tensors_(graph_, seed),
        workspace_(network.make_workspace()) {}

  NetworkCheck check() {
    NetworkCheck result;
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      const NetworkStep& step = plan_.steps[s];
      std::vector<Numbers> inputs;
      for (const int input : step.inputs) inputs.push_back(row_major_copy(input));
      network_.run_steps(s, s + 1, tensors_.input_spans, tensors_.output_spans, workspace_);
      if (!step.in_place) result.steps.push_back(check_step(step, inputs));
    }
    result.outputs = check_outputs();
    return result;
  }

 private:
  /// Returns the numbers of a buffer, row-major. Constants and omitted tensors are empty.
  std::vector<float> row_major_copy(int at) {
    if (at < 0) return {};
    const NetworkBuffer& buffer = plan_.buffers[static_cast<std::size_t>(at)];
    const GraphValue& value = graph_.values[static_cast<std::size_t>(buffer.value)];
    if (buffer.place == NetworkBuffer::Place::constant || !value.shape) return {};
    const float* from = reinterpret_cast<const float*>(workspace_.data() + buffer.offset);
    const auto index = static_cast<std::size_t>(std::max(0, buffer.index));
    if (buffer.place == NetworkBuffer::Place::input) from = tensors_.inputs[index].data();
    if (buffer.place == NetworkBuffer::Place::output) from = tensors_.outputs[index].data();
    std::vector<float> copy(static_cast<std::size_t>(elements_of(*value.shape)));
    float* to = copy.data();
    conversion_of(*value.shape, buffer.layout, Layout::nchw)({&from, &to});
    return copy;
  }

  StepCheck check_step(const NetworkStep& step, const std::vector<Numbers>& inputs) {
    StepCheck result{.name = step.name, .kind = step.kind};
    const std::vector<float> got = row_major_copy(step.outputs[0]);
    if (step.node < 0) {
      result.check = compare_floats(got, std::get<std::vector<float>>(inputs[0]), 0);
      return result;
    }
    const NodeView node(graph_, graph_.nodes[static_cast<std::size_t>(step.node)]);
    PlainInputs plain;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const bool is_constant = node.has_input(i) && node.input(i).constant;
      plain.push_back(is_constant ? node.input(i).numbers.get() : &inputs[i]);
    }
    const std::vector<Numbers> expected = compute_plain(node, plain);
    result.check =
        compare_floats(got, std::get<std::vector<float>>(expected[0]), reduction_length(node));
    for (std::size_t i = 1; i < step.outputs.size() && i < expected.size(); ++i) {
      if (step.outputs[i] < 0) continue;
      const Check more = compare_floats(row_major_copy(step.outputs[i]),
                                        std::get<std::vector<float>>(expected[i]), 1);
      if (!more.passed()) result.check = more;
    }
    return result;
  }

  std::vector<StepCheck> check_outputs() {
    double length = 0;
    for (const GraphNode& node : graph_.nodes) length += reduction_length(NodeView(graph_, node));
    const auto expected = run_plain(*plan_.graph, tensors_.input_spans);
    std::vector<StepCheck> checks;
    for (std::size_t i = 0; i < tensors_.outputs.size(); ++i) {
      const int at = plan_.graph->outputs[i];
      const Numbers& numbers = *expected[static_cast<std::size_t>(at)];
      checks.push_back({.name = plan_.graph->values[static_cast<std::size_t>(at)].name,
                        .kind = "output",
                        .check = compare_floats(tensors_.outputs[i],
                                                std::get<std::vector<float>>(numbers), length)});
    }
    return checks;
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

Measurement measure(const CompiledNetwork& network, double budget_seconds) {
  const int threads = network.plan().layers.front().plan.options.threads;
  std::optional<PinnedThread> pinned;
  if (threads == 1) pinned.emplace();
  const NetworkTensors tensors(*network.plan().rewritten, 1);
  Workspace workspace = network.make_workspace();
  Instruments instruments = make_instruments(network.plan().machine.vector.isa, threads);
  const Workload workload{
      .run = [&] { network.run(tensors.input_spans, tensors.output_spans, workspace); }};
  const RunnerResult result = measure_interleaved(
      {workload}, instruments, {.budget_seconds = budget_seconds, .stop = stop_requested});
  const std::optional<Measurement> measured = result.series.front().measurement();
  if (!measured)
    throw Error("the budget of " + std::to_string(budget_seconds) +
                " s was used up before the first sample; must be larger");
  return *measured;
}

}  // namespace tileplan
