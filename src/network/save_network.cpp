// SPDX-License-Identifier: Apache-2.0
// This file writes compiled networks to files.
#include <algorithm>
#include <cmath>

#include "aligned_bytes.h"
#include "files.h"
#include "json_fields.h"
#include "network_code.h"
#include "network_file.h"
#include "network_tensors.h"
#include "quantised.h"
#include "tileplan/version.h"

namespace tileplan {
namespace {

Json saved_attribute(const Attribute& attribute) {
  if (const auto* real = std::get_if<double>(&attribute)) {
    // JSON has neither infinite numbers nor NaN, so these are written as text.
    if (!std::isfinite(*real)) return {{"real", std::to_string(*real)}};
    return {{"real", *real}};
  }
  return std::visit([](const auto& value) { return Json(value); }, attribute);
}

/// Writes a compiled network. The values are renumbered: inputs come first, then constants, and
/// then results in the order of the steps.
class NetworkWriter {
 public:
  explicit NetworkWriter(const CompiledNetwork& network)
      : network_(network), plan_(network.plan()), graph_(*plan_.rewritten) {
    for (const GraphNode& node : graph_.nodes)
      if (is_quantised_layer(node.kind) || is_quantisation(node.kind))
        throw Error("node " + node.name + " (" + node.kind +
                    "): quantised networks cannot be saved; all tensors must be f32");
    require_floats("input", graph_.inputs);
    require_floats("output", graph_.outputs);
  }

  std::string file() {
    const Options& options = plan_.layers.front().plan.options;
    Json json{{"version", version()},
              {"name", plan_.name},
              {"machine", Json::parse(to_json(plan_.machine))},
              {"threads", options.threads},
              {"regime", to_string(options.regime)},
              {"seconds", plan_.layouts.seconds},
              {"bound", plan_.layouts.bound},
              {"runner_up_seconds", plan_.layouts.runner_up_seconds}};
    add_values(json);
    add_nodes(json);
    for (const int output : graph_.outputs)
      json["outputs"].push_back(numbers_[static_cast<std::size_t>(output)]);
    add_results(json);
    const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    std::string file = kNetworkFormat;
    file += ' ' + std::to_string(text.size()) + ' ' + std::to_string(bytes_.all().size()) + '\n';
    return file + text + bytes_.all();
  }

 private:
  void require_floats(const std::string& kind, const std::vector<int>& values) const {
    for (const int at : values)
      if (const GraphValue& value = graph_.values[static_cast<std::size_t>(at)];
          value.type != "f32")
        throw Error(kind + " " + value.name + " is " + value.type +
                    "; the inputs and outputs of a saved network must be f32");
  }

  /// Returns true for each value that loading or running the network reads in unpacked form. The
  /// numbers of constants among them must be saved.
  std::vector<bool> values_with_numbers() const {
    std::vector<bool> needed(graph_.values.size());
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      if (plan_.steps[s].node < 0) continue;
      const GraphNode& node = graph_.nodes[static_cast<std::size_t>(plan_.steps[s].node)];
      for (std::size_t i = 0; i < node.inputs.size(); ++i)
        if (node.inputs[i] >= 0 && (i != 1 || !network_.code().weights[s]))
          needed[static_cast<std::size_t>(node.inputs[i])] = true;
    }
    for (const int output : graph_.outputs) needed[static_cast<std::size_t>(output)] = true;
    return needed;
  }

  void add_values(Json& json) {
    numbers_.assign(graph_.values.size(), -1);
    for (const int input : graph_.inputs) {
      const GraphValue& value = graph_.values[static_cast<std::size_t>(input)];
      numbers_[static_cast<std::size_t>(input)] = next_++;
      json["inputs"].push_back({{"name", value.name}, {"shape", *value.shape}});
    }
    json["constants"] = Json::array();
    const std::vector<bool> needed = values_with_numbers();
    const auto add_constants = [&](const std::vector<int>& values) {
      for (const int value : values) {
        const auto at = static_cast<std::size_t>(std::max(0, value));
        if (value < 0 || !graph_.values[at].constant || numbers_[at] >= 0) continue;
        numbers_[at] = next_++;
        json["constants"].push_back(saved_constant(graph_.values[at], needed[at]));
      }
    };
    for (const GraphNode& node : graph_.nodes) add_constants(node.inputs);
    add_constants(graph_.outputs);
  }

  Json saved_constant(const GraphValue& value, bool has_numbers) {
    Json json{{"name", value.name}, {"shape", *value.shape}, {"type", value.type}};
    if (has_numbers && value.numbers)
      json["offset"] = std::visit(
          [&](const auto& list) { return bytes_.add(list.data(), list.size() * sizeof(list[0])); },
          *value.numbers);
    return json;
  }

  void add_nodes(Json& json) {
    for (std::size_t s = 0; s < plan_.steps.size(); ++s)
      if (plan_.steps[s].node >= 0) json["nodes"].push_back(saved_node(s));
  }

  Json saved_node(std::size_t s) {
    const NetworkStep& step = plan_.steps[s];
    const GraphNode& node = graph_.nodes[static_cast<std::size_t>(step.node)];
    Json saved{{"name", node.name}, {"kind", node.kind}, {"inputs", Json::array()}};
    for (const int input : node.inputs)
      saved["inputs"].push_back(input < 0 ? -1 : numbers_[static_cast<std::size_t>(input)]);
    saved["attributes"] = Json::object();
    for (const auto& [name, value] : node.attributes)
      saved["attributes"][name] = saved_attribute(value);
    if (node.kind == "Reshape") saved["attributes"]["shape"] = NodeView(graph_, node).out_shape();
    // A Split without sizes has as many parts as results, which a loaded node lacks at first.
    if (node.kind == "Split") saved["attributes"]["num_outputs"] = node.outputs.size();
    for (const int output : node.outputs) {
      if (output >= 0) numbers_[static_cast<std::size_t>(output)] = next_;
      ++next_;
    }
    const auto out = static_cast<std::size_t>(step.outputs.front());
    saved["layout"] = to_string(plan_.buffers[out].layout);
    if (step.layer >= 0) add_kernel(s, saved);
    return saved;
  }

  void add_kernel(std::size_t s, Json& saved) {
    const auto layer = static_cast<std::size_t>(plan_.steps[s].layer);
    saved["schedule"] = to_string(plan_.layers[layer].plan.candidates.front().schedule);
    const auto& packed = network_.code().weights[s];
    if (packed)
      saved["weights"] = {{"offset", bytes_.add(packed->data(), packed->size_bytes())},
                          {"size", packed->size()},
                          {"order", std::to_string(packed->order())}};
  }

  void add_results(Json& json) {
    const NetworkTensors tensors(graph_, kSavedSeed);
    Workspace workspace = network_.make_workspace();
    network_.run(tensors.input_views, tensors.output_views, workspace);
    for (const Elements& each : tensors.output_views)
      json["results"].push_back(bytes_.add(each.data(), each.size() * sizeof(float)));
  }

  const CompiledNetwork& network_;
  const NetworkPlan& plan_;
  const Graph& graph_;
  AlignedBytes bytes_;
  std::vector<int> numbers_;
  int next_ = 0;
};

}  // namespace

void save_network(const CompiledNetwork& network, const std::string& path) {
  atomic_write(path, NetworkWriter(network).file());
}

}  // namespace tileplan
