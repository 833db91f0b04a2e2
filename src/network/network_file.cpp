// SPDX-License-Identifier: Apache-2.0
// A file has a line with sizes, JSON with the graph and the schedules, and the bytes of tensors.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>

#include "files.h"
#include "json_fields.h"
#include "machine_json.h"
#include "network_code.h"
#include "network_memory.h"
#include "network_tensors.h"
#include "plan_graph.h"
#include "plan_layers.h"
#include "quantised.h"
#include "tileplan/error.h"
#include "tileplan/version.h"

namespace tileplan {
namespace {

constexpr const char* kFormat = "tileplan-network-1";
constexpr std::uint64_t kSeed = 1;  ///< It seeds the inputs of the run whose outputs are saved.

Json saved_attribute(const Attribute& attribute) {
  if (const auto* real = std::get_if<double>(&attribute)) {
    std::array<char, 64> text{};  // JSON has no infinite numbers.
    std::snprintf(text.data(), text.size(), "%a", *real);
    return {{"real", text.data()}};
  }
  return std::visit([](const auto& value) { return Json(value); }, attribute);
}

Attribute read_attribute(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_array()) return json.get<std::vector<std::int64_t>>();
  if (json.is_object()) return std::strtod(json.at("real").get<std::string>().c_str(), nullptr);
  return json.get<std::int64_t>();
}

/// Collects bytes, each piece at a multiple of 64.
class Bytes64 {
 public:
  std::size_t add(const void* data, std::size_t size) {
    constexpr std::size_t kAlignment = 64;
    bytes_.resize((bytes_.size() + kAlignment - 1) / kAlignment * kAlignment);
    const std::size_t offset = bytes_.size();
    bytes_.append(static_cast<const char*>(data), size);
    return offset;
  }
  const std::string& all() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Writes a compiled network. Values are numbered anew: inputs, constants, and results in order.
class NetworkWriter {
 public:
  explicit NetworkWriter(const CompiledNetwork& network)
      : network_(network), plan_(network.plan()), graph_(*plan_.rewritten) {
    for (const GraphNode& node : graph_.nodes)
      if (is_quantised_layer(node.kind) || node.kind.ends_with("QuantizeLinear"))
        throw Error("node " + node.name + " (" + node.kind +
                    "): quantised networks cannot be saved; all tensors must be f32");
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
    std::string file = kFormat;
    file += ' ' + std::to_string(text.size()) + ' ' + std::to_string(bytes_.all().size()) + '\n';
    return file + text + bytes_.all();
  }

 private:
  /// Returns the values whose numbers a run reads otherwise than packed.
  std::vector<bool> values_with_numbers() const {
    std::vector<bool> needed(graph_.values.size());
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      if (plan_.steps[s].node < 0) continue;
      const GraphNode& node = graph_.nodes[static_cast<std::size_t>(plan_.steps[s].node)];
      for (std::size_t i = 0; i < node.inputs.size(); ++i)
        if (node.inputs[i] >= 0 && (i != 1 || !network_.code().weights[s]))
          needed[static_cast<std::size_t>(node.inputs[i])] = true;
    }
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
    for (const GraphNode& node : graph_.nodes)
      for (const int input : node.inputs) {
        const auto at = static_cast<std::size_t>(std::max(0, input));
        if (input < 0 || !graph_.values[at].constant || numbers_[at] >= 0) continue;
        numbers_[at] = next_++;
        json["constants"].push_back(saved_constant(graph_.values[at], needed[at]));
      }
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
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      const NetworkStep& step = plan_.steps[s];
      if (step.node < 0) continue;
      const GraphNode& node = graph_.nodes[static_cast<std::size_t>(step.node)];
      Json saved{{"name", node.name}, {"kind", node.kind}, {"inputs", Json::array()}};
      for (const int input : node.inputs)
        saved["inputs"].push_back(input < 0 ? -1 : numbers_[static_cast<std::size_t>(input)]);
      saved["attributes"] = Json::object();
      for (const auto& [name, value] : node.attributes)
        saved["attributes"][name] = saved_attribute(value);
      if (node.kind == "Reshape") saved["attributes"]["shape"] = NodeView(graph_, node).out_shape();
      for (const int output : node.outputs) {
        if (output >= 0) numbers_[static_cast<std::size_t>(output)] = next_;
        ++next_;
      }
      const auto out = static_cast<std::size_t>(step.outputs.front());
      saved["layout"] = to_string(plan_.buffers[out].layout);
      if (step.layer >= 0) add_kernel(s, saved);
      json["nodes"].push_back(std::move(saved));
    }
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
    const NetworkTensors tensors(graph_, kSeed);
    Workspace workspace = network_.make_workspace();
    network_.run(tensors.input_views, tensors.output_views, workspace);
    for (const Elements& each : tensors.output_views)
      json["results"].push_back(bytes_.add(each.data(), each.size() * sizeof(float)));
  }

  const CompiledNetwork& network_;
  const NetworkPlan& plan_;
  const Graph& graph_;
  Bytes64 bytes_;
  std::vector<int> numbers_;
  int next_ = 0;
};

/// Reads a file. All that a run depends on is derived again, so that wrong parts are refused.
class NetworkReader {
 public:
  explicit NetworkReader(const std::string& text) {
    std::istringstream head(text.substr(0, text.find('\n')));
    std::string format;
    std::size_t json_size = 0, size = 0;
    head >> format >> json_size >> size;
    const std::size_t begin = text.find('\n') + 1;
    if (format != kFormat) throw Error("format is " + format + "; must be " + kFormat);
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
    std::vector<Number> numbers(
        // The size is checked before memory is allocated.
        (at(offset, static_cast<std::size_t>(count) * sizeof(Number)),
         static_cast<std::size_t>(count)));
    std::memcpy(numbers.data(), bytes_.data() + offset, numbers.size() * sizeof(Number));
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
      graph_.node(each.at("kind"), each.at("inputs").get<std::vector<int>>(), attributes,
                  each.at("name"));
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

  /// Returns the layer with an equal problem, epilogue and schedule, which is added if it is new.
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
    const NetworkTensors tensors(graph_, kSeed);
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

void save_network(const CompiledNetwork& network, const std::string& path) {
  atomic_write(path, NetworkWriter(network).file());
}

bool is_saved_network(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string start(std::strlen("tileplan-network-"), '\0');
  return file.read(start.data(), static_cast<std::streamsize>(start.size())) &&
         start == "tileplan-network-";
}

CompiledNetwork load_network(const std::string& path) {
  const std::string text = read_file(path, "a file that save_network or run --save wrote");
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
