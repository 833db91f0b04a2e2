// SPDX-License-Identifier: Apache-2.0
// This file compiles the steps of a plan, and runs them one after another.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <span>

#include "huge_pages.h"
#include "integers.h"
#include "network_code.h"
#include "operators.h"
#include "quantised.h"
#include "quantised_kernel.h"
#include "step_constants.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

constexpr std::size_t kArenaAlignment = 64;

/// Returns an operation that computes `threads` parts of `operation` at once.
Operation on_threads(const Operation& operation, int threads) {
  if (threads == 1) return operation;
  return [operation, threads](const StepTensors& tensors) {
    const auto part = [&](int at) {
      operation({.in = tensors.in, .out = tensors.out, .part = at, .parts = threads});
    };
    run_tasks(threads, std::ref(part));
  };
}

/// Builds the code of a network from a plan.
class NetworkCompiler {
 public:
  NetworkCompiler(const NetworkPlan& plan, StepWeights weights) : graph_(*plan.rewritten) {
    code_.plan = plan;
    code_.weights = std::move(weights);
    code_.weights.resize(plan.steps.size());
    code_.constant_places.resize(plan.buffers.size());
  }

  NetworkCode code() {
    for (const NetworkLayer& layer : code_.plan.layers) kernels_.push_back(compile(layer.plan));
    for (std::size_t s = 0; s < code_.plan.steps.size(); ++s) {
      const NetworkStep& step = code_.plan.steps[s];
      code_.most_tensors = std::max(code_.most_tensors, step.inputs.size() + step.outputs.size());
      check_types(step);
      code_.operations.push_back(operation(step, code_.weights[s]));
    }
    return std::move(code_);
  }

 private:
  const NetworkBuffer& buffer(int at) const {
    return code_.plan.buffers[static_cast<std::size_t>(at)];
  }
  const GraphValue& value(int buffer_at) const {
    return graph_.values[static_cast<std::size_t>(buffer(buffer_at).value)];
  }

  /// Returns true for steps that can have tensors of other types than f32.
  static bool takes_bytes(const NetworkStep& step) {
    return step.node < 0 || is_quantised_layer(step.kind) || is_quantisation(step.kind) ||
           step.kind == "DynamicQuantizeLinear" || step.kind == "Reshape" || step.kind == "Cast";
  }

  static void check_type(const NetworkStep& step, const GraphValue& tensor) {
    const bool runs = tensor.type == "f32" || (element_of(tensor.type) && takes_bytes(step));
    if (!runs || !tensor.shape)
      throw Error("node " + step.name + ": tensor " + tensor.name + " is " + tensor.type +
                  "; networks run in f32");
    if (elements_of(*tensor.shape) < 1)
      throw Error("node " + step.name + ": tensor " + tensor.name + " is " +
                  shape_text(*tensor.shape) + "; must have elements");
  }

  void check_types(const NetworkStep& step) const {
    for (const auto* list : {&step.inputs, &step.outputs})
      for (const int each : *list)
        if (each >= 0 && !value(each).constant) check_type(step, value(each));
  }

  /// Returns the operation of a step without a node, which copies its input to another buffer or
  /// layout. The operation is empty if the step works in place.
  Operation conversion(const NetworkStep& step) const {
    if (step.in_place) return {};
    const GraphValue& tensor = value(step.inputs[0]);
    const Layout from = buffer(step.inputs[0]).layout, to = buffer(step.outputs[0]).layout;
    const std::int64_t bytes = bytes_of_type(tensor.type);
    const bool in_parts = is_transposition(*tensor.shape, from, to, bytes);
    return on_threads(conversion_of(*tensor.shape, from, to, bytes),
                      in_parts ? threads_for(*tensor.shape) : 1);
  }

  /// Returns the number of threads that compute a tensor of `shape`. It is 1 if the plan has no
  /// layers, and for small tensors, which one thread computes before others have started.
  int threads_for(const Extents& shape) const {
    constexpr std::int64_t kLeast = 1 << 14;
    const std::vector<NetworkLayer>& layers = code_.plan.layers;
    const bool is_small = layers.empty() || elements_of(shape) < kLeast;
    return is_small ? 1 : layers.front().plan.options.threads;
  }

  /// Returns the operation of a step. If an f32 kernel computes the step and `weights` is null,
  /// packs the weights and stores them there.
  Operation operation(const NetworkStep& step, std::shared_ptr<const Packed>& weights) {
    if (step.node < 0) {
      add_constant(step, 0);
      return conversion(step);
    }
    const NodeView node(graph_, graph_.nodes[static_cast<std::size_t>(step.node)]);
    if (is_quantised_layer(node.kind())) {
      if (step.layer < 0) node.refuse("it has no kernel; the network cannot run");
      return quantised_kernel(kernels_[static_cast<std::size_t>(step.layer)], node);
    }
    const bool is_kernel = step.layer >= 0 && node.input(1).constant;
    for (std::size_t i = 0; i < step.inputs.size(); ++i)
      if ((!is_kernel || i != 1) && (!is_quantisation(node.kind()) || i == 0))
        add_constant(step, i);
    if (step.in_place) return {};
    if (is_kernel) return kernel_operation(step, node, weights);
    try {
      return on_threads(operation_of(node, buffer(step.outputs[0]).layout),
                        runs_in_parts(node) ? threads_for(node.out_shape()) : 1);
    } catch (const NotUnderstood& why) {
      node.refuse(why.reason + "; the network cannot run");
    }
  }

  /// Copies input `i` of `step`, if it is a constant, to the layout that the step reads. Constants
  /// of 64-bit integers, such as axes, are left out, because they only describe the operator.
  void add_constant(const NetworkStep& step, std::size_t i) {
    const int at = step.inputs[i];
    if (at < 0 || buffer(at).place != NetworkBuffer::Place::constant) return;
    if (value(at).type == "i64" || code_.constant_places[static_cast<std::size_t>(at)]) return;
    const std::vector<float> numbers = numbers_in_layout(step.name, value(at), buffer(at).layout);
    Buffer copy(std::max<std::size_t>(1, numbers.size()));
    std::ranges::copy(numbers, copy.data());
    code_.constants.push_back(std::move(copy));
    code_.constant_places[static_cast<std::size_t>(at)] = code_.constants.back().data();
  }

  Operation kernel_operation(const NetworkStep& step, const NodeView& node,
                             std::shared_ptr<const Packed>& packed) const {
    const Kernel& kernel = kernels_[static_cast<std::size_t>(step.layer)];
    if (kernel.types() != ElementType::f32)
      throw Error("node " + step.name + ": its kernel is " + to_string(kernel.types()) +
                  "; networks run in f32");
    check_addends(node, kernel.epilogue(), {kernel.bias_size(), kernel.output_size()});
    if (!packed) packed = std::make_shared<const Packed>(kernel.pack_weights(kernel_weights(node)));
    const bool has_bias = kernel.epilogue().bias, has_residual = kernel.epilogue().add;
    return [kernel, weights = packed, has_bias, has_residual](const StepTensors& t) {
      Addends addends;
      if (has_bias) addends.bias = std::span(t.in[2], kernel.bias_size());
      if (has_residual) addends.residual = std::span(t.in[3], kernel.output_size());
      kernel.run(std::span(t.in[0], kernel.input_size()), *weights,
                 std::span(t.out[0], kernel.output_size()), addends);
    };
  }

  const Graph& graph_;
  NetworkCode code_;
  std::vector<Kernel> kernels_;
};

/// Throws Error unless there is one tensor of the right type and size for each value.
template <class Tensors>
void require_sizes(const Graph& graph, const char* what, const std::vector<int>& values,
                   const Tensors& tensors) {
  if (tensors.size() != values.size())
    throw Error("run: " + std::to_string(tensors.size()) + " " + what + "; the network has " +
                std::to_string(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const GraphValue& value = graph.values[static_cast<std::size_t>(values[i])];
    const auto needed = static_cast<std::size_t>(elements_of(*value.shape));
    if (tensors[i].type() != *element_of(value.type))
      throw Error("run: tensor " + value.name + " is " + to_string(tensors[i].type()) +
                  "; must be " + value.type);
    if (tensors[i].size() != needed)
      throw Error("run: tensor " + value.name + " has " + std::to_string(tensors[i].size()) +
                  " elements; must have " + std::to_string(needed));
  }
}

/// Finds the memory of buffers in one run. Pointers to float also stand for tensors of other types,
/// because each step knows the types of its tensors.
struct RunMemory {
  const NetworkCode& code;
  NetworkInputs inputs;
  NetworkOutputs outputs;
  char* arena;

  float* writable(int at) const {
    const NetworkBuffer& buffer = code.plan.buffers[static_cast<std::size_t>(at)];
    if (buffer.place == NetworkBuffer::Place::output)
      return reinterpret_cast<float*>(outputs[static_cast<std::size_t>(buffer.index)].data());
    return reinterpret_cast<float*>(arena + buffer.offset);
  }
  const float* readable(int at) const {
    const NetworkBuffer& buffer = code.plan.buffers[static_cast<std::size_t>(at)];
    if (buffer.place == NetworkBuffer::Place::input)
      return reinterpret_cast<const float*>(inputs[static_cast<std::size_t>(buffer.index)].data());
    if (buffer.place == NetworkBuffer::Place::constant)
      return code.constant_places[static_cast<std::size_t>(at)];
    return writable(at);
  }
};

}  // namespace

std::size_t arena_bytes(const NetworkCode& code) {
  return static_cast<std::size_t>(round_up(code.plan.arena.bytes, kArenaAlignment));
}

void Workspace::Free::operator()(char* memory) const { free_in_huge_pages(memory); }

Workspace::Workspace(std::size_t bytes) : memory_(allocate_in_huge_pages(bytes)), bytes_(bytes) {
  std::memset(memory_.get(), 0, bytes);
}

const NetworkPlan& CompiledNetwork::plan() const { return code_->plan; }

Workspace CompiledNetwork::make_workspace() const {
  return Workspace(arena_bytes(*code_) + code_->most_tensors * sizeof(float*));
}

void CompiledNetwork::run(NetworkInputs inputs, NetworkOutputs outputs,
                          Workspace& workspace) const {
  run_steps(0, code_->operations.size(), inputs, outputs, workspace);
}

void CompiledNetwork::run_steps(std::size_t first, std::size_t last, NetworkInputs inputs,
                                NetworkOutputs outputs, Workspace& workspace) const {
  const NetworkPlan& plan = code_->plan;
  require_sizes(*plan.rewritten, "inputs", plan.rewritten->inputs, inputs);
  require_sizes(*plan.rewritten, "outputs", plan.rewritten->outputs, outputs);
  if (workspace.size_bytes() < arena_bytes(*code_) + code_->most_tensors * sizeof(float*))
    throw Error("run: the workspace has " + std::to_string(workspace.size_bytes()) +
                " bytes; must be one that make_workspace() of this network made");
  const RunMemory memory{*code_, inputs, outputs, workspace.data()};
  auto* const tensors = reinterpret_cast<float**>(workspace.data() + arena_bytes(*code_));
  for (std::size_t s = first; s < last; ++s) {
    if (!code_->operations[s]) continue;
    const NetworkStep& step = plan.steps[s];
    auto** const in = const_cast<const float**>(tensors);
    float** const out = tensors + step.inputs.size();
    for (std::size_t i = 0; i < step.inputs.size(); ++i)
      in[i] = step.inputs[i] < 0 ? nullptr : memory.readable(step.inputs[i]);
    for (std::size_t i = 0; i < step.outputs.size(); ++i)
      out[i] = step.outputs[i] < 0 ? nullptr : memory.writable(step.outputs[i]);
    code_->operations[s]({in, out});
  }
}

CompiledNetwork compile(const NetworkPlan& plan) { return compile_with(plan, {}); }

CompiledNetwork compile_with(const NetworkPlan& plan, StepWeights weights) {
  if (!plan.rewritten)
    throw Error(plan.name + " is a list of layers; a network that runs must be a graph");
  for (const GraphNode& node : plan.rewritten->nodes)
    if (!node.not_understood.empty())
      throw Error("node " + node.name + ": " + node.not_understood + "; the network cannot run");
  if (plan.rewritten->outputs.empty())
    throw Error(plan.name + " has no outputs; a network that runs must have some");
  return CompiledNetwork(
      std::make_shared<const NetworkCode>(NetworkCompiler(plan, std::move(weights)).code()));
}

}  // namespace tileplan
