// SPDX-License-Identifier: Apache-2.0
// This file reads saved networks.
#include "network_file.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>

#include "files.h"
#include "json_fields.h"
#include "machine_json.h"
#include "network_code.h"
#include "network_memory.h"
#include "network_tensors.h"
#include "operators.h"
#include "plan_graph.h"
#include "plan_layers.h"
#include "tileplan/error.h"
#include "tileplan/version.h"

namespace tileplan {
namespace {

Attribute read_attribute(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_array()) return json.get<std::vector<std::int64_t>>();
  if (json.is_object()) {
    const Json& real = json.at("real");
    return real.is_number() ? real.get<double>() : std::stod(real.get<std::string>());
  }
  return json.get<std::int64_t>();
}

/// Reads a saved network. Its schedules and layouts are checked against the graph, and its steps
/// are made again. A run on inputs from a fixed seed must then reproduce the saved outputs bitwise.
class NetworkReader {
 public:
  explicit NetworkReader(const std::string& text) {
    std::istringstream head(text.substr(0, text.find('\n')));
    std::string format;
    std::size_t json_size = 0, size = 0;
    head >> format >> json_size >> size;
    const std::size_t begin = text.find('\n') + 1;
    if (format != kNetworkFormat)
      throw Error("format is " + format + "; must be " + kNetworkFormat);
    if (!head || json_size > text.size() - begin || size != text.size() - begin - json_size)
      throw Error("has " + std::to_string(text.size()) + " bytes; must have as many as it says");
    json_ = parse_json(text.substr(begin, json_size), "its JSON");
    bytes_ = text.substr(begin + json_size);
  }

  CompiledNetwork network() {
    if (const std::string by = json_.at("version"); by != version())
      throw Error("saved by version " + by + "; must be " + version());
    plan_.name = json_.at("name");
    plan_.machine = machine_from_json(json_.at("machine").dump(), "its machine");
    options_.threads = json_.at("threads");
    options_.regime = parse_regime(json_.at("regime").get<std::string>());
    read_graph();
    plan_.graph = plan_.rewritten = std::make_shared<const Graph>(graph_);
    ChosenLayouts chosen{.alternatives = std::vector<std::size_t>(graph_.nodes.size())};
    chosen.proof = {.seconds = json_.at("seconds"),
                    .bound = json_.at("bound"),
                    .runner_up_seconds = json_.at("runner_up_seconds")};
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) read_choice(n);
    if (plan_.layers.empty()) throw Error("has no kernel; must have one");
    make_steps(plan_, alternatives_, chosen, layers_);
    count_operations(plan_);
    CompiledNetwork network = compile_with(plan_, step_weights());
    check_results(network);
    return network;
  }

 private:
  const char* at(std::size_t offset, std::size_t size) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset)
      throw Error("a tensor ends at byte " + std::to_string(offset) + " + " + std::to_string(size) +
                  "; must be at most " + std::to_string(bytes_.size()));
    return bytes_.data() + offset;
  }

  template <class Number>
  Numbers read_numbers(std::size_t offset, std::int64_t count) const {
    // The bounds of the file are checked before memory is allocated.
    const char* const from = at(offset, static_cast<std::size_t>(count) * sizeof(Number));
    std::vector<Number> numbers(static_cast<std::size_t>(count));
    std::memcpy(numbers.data(), from, numbers.size() * sizeof(Number));
    return numbers;
  }

  void read_constant(const Json& json) {
    const std::string name = json.at("name"), type = json.at("type");
    const auto shape = json.at("shape").get<Extents>();
    const std::int64_t count = count_elements("constant " + name, shape);
    if (!json.contains("offset")) {
      graph_.values.push_back({.name = name, .shape = shape, .type = type, .constant = true});
      return;
    }
    const auto offset = json.at("offset").get<std::size_t>();
    if (type == "i64")
      graph_.constant(name, shape, read_numbers<std::int64_t>(offset, count));
    else if (type == "f64")
      graph_.constant(name, shape, read_numbers<double>(offset, count));
    else
      graph_.constant(name, shape, read_numbers<float>(offset, count));
  }

  void read_graph() {
    graph_.name = plan_.name;
    for (const Json& each : json_.at("inputs"))
      graph_.input(each.at("name"), each.at("shape").get<Extents>());
    for (const Json& each : json_.at("constants")) read_constant(each);
    for (const Json& each : json_.at("nodes")) {
      Attributes attributes;
      for (const auto& [name, value] : each.at("attributes").items())
        attributes.emplace(name, read_attribute(value));
      add_node(graph_, {.name = each.at("name"),
                        .kind = each.at("kind"),
                        .inputs = each.at("inputs").get<std::vector<int>>(),
                        .attributes = std::move(attributes)});
    }
    for (const Json& each : json_.at("outputs")) graph_.output(each.get<int>());
  }

  Layout layout_in(const Json& json) const {
    const std::string text = json.at("layout");
    for (const Layout layout : {Layout::nchw, Layout::nhwc, Layout::nChw8c, Layout::nChw16c})
      if (to_string(layout) == text) return layout;
    throw Error("layout is " + text + "; must be that of a tensor");
  }

  void read_choice(std::size_t n) {
    const Json& json = json_.at("nodes").at(n);
    const GraphNode& node = graph_.nodes[n];
    layers_.push_back(-1);
    if (json.contains("schedule")) return read_kernel(n, json);
    const Layout layout = layout_in(json);
    const auto possible = plain_alternatives(graph_, node, plan_.machine);
    const auto found = std::ranges::find(possible, layout, &LayoutAlternative::out);
    if (found == possible.end())
      throw Error("node " + node.name + " has layout " + to_string(layout) +
                  "; must be one that it works in");
    alternatives_.push_back({*found});
  }

  static Layout stored(Layout layout) { return layout == Layout::plain ? Layout::nchw : layout; }

  void require_layout(const GraphNode& node, int value, Layout layout) const {
    const auto possible = layouts_of(graph_.values[static_cast<std::size_t>(value)], plan_.machine);
    if (std::ranges::find(possible, layout) == possible.end())
      throw Error("node " + node.name + " has a tensor in " + to_string(layout) +
                  "; must be a layout of its shape");
  }

  void read_kernel(std::size_t n, const Json& json) {
    const GraphNode& node = graph_.nodes[n];
    LayerProblem layer;
    try {
      layer = layer_problem(NodeView(graph_, node));
    } catch (const NotUnderstood& why) {
      throw Error("node " + node.name + ": " + why.reason);
    }
    options_.epilogue = layer.epilogue;
    Plan plan = plan_of(layer.problem, plan_.machine,
                        parse_schedule(json.at("schedule").get<std::string>()), options_);
    const Candidate& choice = plan.candidates.front();
    const LayoutAlternative alternative{.in = stored(choice.schedule.in),
                                        .out = stored(choice.schedule.out),
                                        .seconds = choice.prediction.seconds};
    require_layout(node, node.inputs[0], alternative.in);
    require_layout(node, node.outputs[0], alternative.out);
    alternatives_.push_back({alternative});
    layers_.back() = layer_of(node.name, std::move(plan));
    ++plan_.planned;
  }

  /// Returns the number of the layer with the same problem, epilogue and schedule. The layer is
  /// added if there is none.
  int layer_of(const std::string& name, Plan plan) {
    const auto equal = std::ranges::find_if(plan_.layers, [&](const NetworkLayer& each) {
      return each.plan.problem == plan.problem &&
             each.plan.options.epilogue == plan.options.epilogue &&
             each.plan.candidates.front().schedule == plan.candidates.front().schedule;
    });
    const auto place = static_cast<int>(equal - plan_.layers.begin());
    if (equal == plan_.layers.end()) {
      plan_.layers.push_back({.name = name, .plan = std::move(plan)});
    } else {
      equal->others.push_back(name);
      ++equal->count;
    }
    return place;
  }

  StepWeights step_weights() const {
    StepWeights weights(plan_.steps.size());
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      const NetworkStep& step = plan_.steps[s];
      if (step.layer < 0) continue;
      const Json& node = json_.at("nodes").at(static_cast<std::size_t>(step.node));
      if (!node.contains("weights")) continue;
      const Json& json = node.at("weights");
      const auto size = json.at("size").get<std::size_t>();
      if (size > bytes_.size() / sizeof(float))
        throw Error("node " + step.name + " has " + std::to_string(size) +
                    " weights; must be in the file");
      const char* const from = at(json.at("offset").get<std::size_t>(), size * sizeof(float));
      Packed packed(size, std::stoull(json.at("order").get<std::string>()));
      std::memcpy(packed.data(), from, packed.size_bytes());
      weights[s] = std::make_shared<const Packed>(std::move(packed));
    }
    return weights;
  }

  void check_results(const CompiledNetwork& network) const {
    const NetworkTensors tensors(graph_, kSavedSeed);
    Workspace workspace = network.make_workspace();
    network.run(tensors.input_views, tensors.output_views, workspace);
    for (std::size_t i = 0; i < tensors.output_views.size(); ++i) {
      const Elements& output = tensors.output_views[i];
      const std::size_t size = output.size() * sizeof(float);
      const char* const expected = at(json_.at("results").at(i).get<std::size_t>(), size);
      if (std::memcmp(output.data(), expected, size) != 0)
        throw Error("output " + std::to_string(i + 1) +
                    " differs from that of the run that is saved; must be equal");
    }
  }

  Json json_;
  std::string bytes_;
  NetworkPlan plan_;
  Options options_;
  Graph graph_;
  LayoutAlternatives alternatives_;
  std::vector<int> layers_;
};

}  // namespace

bool is_saved_network(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string start(std::strlen("tileplan-network-"), '\0');
  return file.read(start.data(), static_cast<std::streamsize>(start.size())) &&
         start == "tileplan-network-";
}

CompiledNetwork load_network(const std::string& path) {
  // The weights of a network may have gigabytes. Another file is read to say what is wrong with it.
  const std::size_t most =
      is_saved_network(path) ? std::numeric_limits<std::size_t>::max() : kMostFileBytes;
  const std::string text = read_file(path, "a file that save_network or run --save wrote", most);
  try {
    return NetworkReader(text).network();
  } catch (const Error& error) {
    throw Error(path + ": " + error.what());
  } catch (const nlohmann::json::exception& error) {
    throw Error(path + ": " + error.what() + "; must be as save_network wrote it");
  } catch (const std::logic_error& error) {
    throw Error(path + ": " + error.what() + ": must be as save_network wrote it");
  }
}

}  // namespace tileplan
