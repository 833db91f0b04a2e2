// SPDX-License-Identifier: Apache-2.0
// This file writes C code for the steps of a plan. Steps of one kind with equal code call one
// function.
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>
#include <set>

#include "aligned_bytes.h"
#include "emit_kernel.h"
#include "fast_operators.h"
#include "integers.h"
#include "network_files.h"
#include "operators.h"
#include "pack.h"
#include "quantised.h"
#include "step_constants.h"
#include "tileplan/emit.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

using Place = NetworkBuffer::Place;

/// The file of the weights begins with these characters, and a hash of code and weights follows.
constexpr const char* kWeightsFormat = "tileplan-weights";

/// Returns the FNV-1a hash of all texts so far: `hash` is the hash of the texts before `text`.
std::uint64_t hash_of(const std::string& text, std::uint64_t hash) {
  constexpr std::uint64_t kPrime = 1099511628211U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  return hash;
}

void require_c(const NetworkPlan& plan) {
  if (!plan.rewritten) throw Error("emit: " + plan.name + " is a list of layers; must be a graph");
  for (const GraphNode& node : plan.rewritten->nodes)
    if (!node.not_understood.empty())
      throw Error("node " + node.name + ": " + node.not_understood +
                  "; the network cannot be emitted");
  if (plan.rewritten->outputs.empty())
    throw Error("emit: " + plan.name + " has no outputs; must have some");
}

/// Writes all files of one network.
class NetworkEmitter {
 public:
  NetworkEmitter(const NetworkPlan& plan, Target target, const std::string& name)
      : plan_(plan),
        graph_(*plan.rewritten),
        facts_{
            .plan = plan,
            .name = name,
            .target = target_row(target),
            .workspace_bytes = round_up(plan.arena.bytes, std::int64_t{AlignedBytes::kAlignment})},
        kernels_(plan.layers.size()),
        constants_(plan.buffers.size()) {
    weights_.add(std::string(AlignedBytes::kAlignment, '\0').data(), AlignedBytes::kAlignment);
  }

  EmittedNetwork emit() {
    check_types();
    for (const NetworkStep& step : plan_.steps) add_step(step);
    if (calls_.find("workspace") == std::string::npos && calls_.find("TENSOR") == std::string::npos)
      calls_ += "  (void)workspace;\n";
    if (calls_.find("WEIGHTS") == std::string::npos) calls_ += "  (void)weights;\n";
    for (const auto& kernel : kernels_)
      if (kernel) facts_.scratch = std::max(facts_.scratch, kernel->scratch);
    return {.files = files(), .notes = {notes_.begin(), notes_.end()}};
  }

 private:
  const NetworkBuffer& buffer(int at) const { return plan_.buffers[static_cast<std::size_t>(at)]; }
  const GraphValue& value(int buffer_at) const {
    return graph_.values[static_cast<std::size_t>(buffer(buffer_at).value)];
  }

  static void check_type(const std::string& owner, const GraphValue& value) {
    if (value.type != "f32" || !value.shape)
      throw Error(owner + ": tensor " + value.name + " is " + value.type +
                  "; tensors of emitted networks must be f32");
    if (elements_of(*value.shape) < 1)
      throw Error(owner + ": tensor " + value.name + " is " + shape_text(*value.shape) +
                  "; must have elements");
  }

  void check_types() const {
    for (const NetworkStep& step : plan_.steps)
      for (const auto* list : {&step.inputs, &step.outputs})
        for (const int each : *list)
          if (each >= 0 && !value(each).constant)
            check_type("node " + step.name + " (" + step.kind + ")", value(each));
    for (const auto* list : {&graph_.inputs, &graph_.outputs})
      for (const int each : *list)
        check_type("emit", graph_.values[static_cast<std::size_t>(each)]);
  }

  void add_step(const NetworkStep& step) {
    const auto written = std::ranges::find_if(step.outputs, [](int each) { return each >= 0; });
    // A step is left out if none of its outputs is read.
    if (written == step.outputs.end()) return;
    const Layout layout = buffer(*written).layout;
    calls_ += "  /* " + comment_text(step.name) + " (" + comment_text(step.kind) +
              "): " + shape_text(*value(*written).shape) + ", " + to_string(layout) +
              (step.in_place ? ", in place */\n" : " */\n");
    if (step.in_place) return;
    if (step.node >= 0) return add_node(step, layout);
    call(step, conversion_function(*value(*written).shape, buffer(step.inputs[0]).layout, layout));
  }

  void add_node(const NetworkStep& step, Layout layout) {
    const NodeView node(graph_, graph_.nodes[static_cast<std::size_t>(step.node)]);
    if (step.layer >= 0 && node.input(1).constant) return call_kernel(step, node);
    const bool in_place = has_one_place(step.inputs[0], step.outputs[0]);
    try {
      for (CFunction& each : functions_of({.node = node, .layout = layout, .in_place = in_place}))
        call(step, std::move(each));
    } catch (const NotUnderstood& why) {
      node.refuse(why.reason + "; the network cannot be emitted");
    }
  }

  /// Returns true when buffer `two` begins `skipped` bytes after buffer `one` in the workspace.
  bool has_one_place(int one, int two, std::int64_t skipped = 0) const {
    return one >= 0 && two >= 0 && buffer(one).place == Place::arena &&
           buffer(two).place == Place::arena && buffer(one).offset + skipped == buffer(two).offset;
  }

  /// Returns C text for the address of a buffer. Constants become part of the weights.
  std::string place(const NetworkStep& step, int at) {
    switch (buffer(at).place) {
      case Place::input:
        return parameter_name(graph_, false, buffer(at).index);
      case Place::output:
        return parameter_name(graph_, true, buffer(at).index);
      case Place::constant:
        return constant_place(step, at);
      case Place::arena:
        break;
    }
    return "TENSOR(" + std::to_string(buffer(at).offset) + ")";
  }

  std::string constant_place(const NetworkStep& step, int at) {
    std::string& known = constants_[static_cast<std::size_t>(at)];
    if (known.empty())
      known = weights_place(numbers_in_layout(step.name, value(at), buffer(at).layout));
    return known;
  }

  std::string weights_place(const std::vector<float>& numbers) {
    return "WEIGHTS(" +
           std::to_string(weights_.add(numbers.data(), numbers.size() * sizeof(float))) + ")";
  }

  void call(const NetworkStep& step, CFunction function) {
    const auto tensor = [&](const CParameter& each) {
      return (each.is_output ? step.outputs : step.inputs)[each.tensor];
    };
    if (function.is_copy) {
      const CParameter &from = function.parameters[0], &to = function.parameters[1];
      const auto skipped = (from.start - to.start) * static_cast<std::int64_t>(sizeof(float));
      if (has_one_place(tensor(from), tensor(to), skipped)) return;
    }
    std::string arguments;
    for (const CParameter& each : function.parameters)
      arguments += (arguments.empty() ? "" : ", ") + place(step, tensor(each));
    for (CParameter& each : function.parameters) each.start = 0;
    calls_ += "  " + named(std::move(function)) + "(" + arguments + ");\n";
  }

  /// Returns the name of `function`. Functions of one kind with the same text share one name.
  std::string named(CFunction function) {
    std::string text = function.kind;
    for (const CParameter& each : function.parameters) text += "," + each.name;
    text += function.body;
    const auto [known, is_new] = names_.emplace(std::move(text), std::string());
    if (!is_new) return known->second;
    known->second = facts_.name + "_" + function.kind + std::to_string(++counts_[function.kind]);
    functions_.push_back({known->second, std::move(function)});
    return known->second;
  }

  std::string layer_name(const NetworkStep& step) const {
    return facts_.name + "_layer" + std::to_string(step.layer + 1);
  }

  const EmittedKernel& kernel(const NetworkStep& step) {
    std::optional<EmittedKernel>& known = kernels_[static_cast<std::size_t>(step.layer)];
    if (known) return *known;
    const Plan& plan = plan_.layers[static_cast<std::size_t>(step.layer)].plan;
    try {
      known = emit_kernel(plan.problem, plan.candidates.front().schedule,
                          {.target = facts_.target.target,
                           .name = layer_name(step),
                           .epilogue = plan.options.epilogue},
                          facts_.name + "_scratch");
    } catch (const Error& error) {
      throw Error("node " + step.name + ": " + error.what());
    }
    notes_.insert(known->c.notes.begin(), known->c.notes.end());
    return *known;
  }

  void call_kernel(const NetworkStep& step, const NodeView& node) {
    const EmittedKernel& emitted = kernel(step);
    const Plan& plan = plan_.layers[static_cast<std::size_t>(step.layer)].plan;
    const Epilogue& epilogue = plan.options.epilogue;
    const Computation& computation = emitted.computation;
    const auto elements = [&](const TensorLayout& layout) {
      return static_cast<std::size_t>(layout.elements);
    };
    check_addends(node, epilogue,
                  {elements(bias_layout(computation)),
                   elements(layout_of(computation, Operand::output, emitted.c.schedule.out))});
    std::string arguments = place(step, step.inputs[0]) + ", " + packed_place(emitted, node);
    constexpr std::size_t kBias = 2, kResidual = 3;
    if (epilogue.bias) arguments += ", " + place(step, step.inputs[kBias]);
    if (epilogue.add) arguments += ", " + place(step, step.inputs[kResidual]);
    calls_ += "  " + layer_name(step) + "_run(" + arguments + ", " + place(step, step.outputs[0]) +
              ");\n";
  }

  /// Appends the weights of a kernel to the file of the weights, packed if the kernel takes packed
  /// weights. Returns C text for their address.
  std::string packed_place(const EmittedKernel& emitted, const NodeView& node) {
    std::vector<float> weights = kernel_weights(node);
    const auto needed = layout_of(emitted.computation, Operand::weights, Layout::plain).elements;
    if (static_cast<std::int64_t>(weights.size()) != needed)
      node.refuse("its weights have " + std::to_string(weights.size()) + " elements; must have " +
                  std::to_string(needed));
    if (!emitted.takes_packed) return weights_place(weights);
    const bool is_winograd = emitted.winograd.has_value();
    if (is_winograd) weights = transformed_weights(*emitted.winograd, weights);
    const Computation& loops = is_winograd ? emitted.winograd->products : emitted.computation;
    std::vector<float> packed(static_cast<std::size_t>(emitted.weights.elements()));
    pack_weights({.elements = loops, .loops = loops, .types = {}, .order = emitted.weights},
                 reinterpret_cast<const char*>(weights.data()),
                 reinterpret_cast<char*>(packed.data()));
    return weights_place(packed);
  }

  std::vector<EmittedFile> files() {
    const std::string& name = facts_.name;
    std::vector<EmittedFile> files;
    std::vector<std::string> declarations;
    for (std::size_t layer = 0; layer < kernels_.size(); ++layer) {
      if (!kernels_[layer]) continue;
      declarations.push_back(kernels_[layer]->declaration);
      files.push_back({name + "_layer" + std::to_string(layer + 1) + ".c",
                       std::move(kernels_[layer]->c.source)});
    }
    files.push_back({name + "_operators.c", operators_source(facts_, functions_)});
    files.push_back({name + "_steps.h", steps_header(facts_, declarations, functions_)});
    weights_.pad();
    facts_.weights_bytes = static_cast<std::int64_t>(weights_.all().size());
    set_identity(files);
    files.push_back({name + ".c", network_source(facts_, calls_)});
    files.push_back({name + ".h", network_header(facts_)});
    files.push_back({name + ".weights", std::move(weights_.all())});
    return files;
  }

  /// Sets the first characters of the weights. They contain a hash of the code and the weights, so
  /// that the code can refuse the weights of another network.
  void set_identity(const std::vector<EmittedFile>& files) {
    constexpr std::uint64_t kStart = 14695981039346656037U;
    std::uint64_t hash = hash_of(calls_, hash_of(weights_.all(), kStart));
    for (const EmittedFile& each : files) hash = hash_of(each.content, hash);
    std::array<char, 17> digits{};
    std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(hash));
    facts_.identity = std::string(kWeightsFormat) + digits.data();
    facts_.identity.copy(weights_.all().data(), facts_.identity.size());
  }

  const NetworkPlan& plan_;
  const Graph& graph_;
  NetworkFacts facts_;
  std::vector<std::optional<EmittedKernel>> kernels_;
  // For each constant buffer, holds the C text for its address in the weights once a step reads it.
  std::vector<std::string> constants_;
  AlignedBytes weights_;
  std::string calls_;
  std::map<std::string, std::string> names_;  // Maps kind and text of a function to its name.
  std::map<std::string, int> counts_;
  std::vector<NamedFunction> functions_;
  std::set<std::string> notes_;
};

}  // namespace

EmittedNetwork emit_network(const NetworkPlan& plan, Target target, const std::string& name) {
  check_c_name(name);
  require_c(plan);
  return NetworkEmitter(plan, target, name).emit();
}

}  // namespace tileplan
