// SPDX-License-Identifier: Apache-2.0
// This file reads the layers of a network and plans each distinct one.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "computation.h"
#include "coverage.h"
#include "footprint.h"
#include "onnx_graph.h"
#include "product.h"
#include "tileplan/error.h"
#include "tileplan/file.h"
#include "tileplan/network.h"
#include "tileplan/records.h"
#include "workload.h"

namespace tileplan {
namespace {

/// A layer before it is planned.
struct Unit {
  NetworkLayer layer = {};  ///< It has no plan yet.
  Problem problem = {};
  Epilogue epilogue = {};
};

/// The layers that a file lists, and what it holds besides them.
struct Listed {
  std::vector<Unit> units = {};
  std::vector<Unplanned> unplanned = {};
};

/// Adds a node to the group of its kind and reason.
void add_unplanned(std::vector<Unplanned>& groups, const OnnxSkipped& node) {
  auto found = std::ranges::find_if(groups, [&](const Unplanned& group) {
    return group.kind == node.kind && group.reason == node.reason;
  });
  if (found == groups.end())
    found = groups.insert(groups.end(), {.kind = node.kind, .reason = node.reason});
  found->nodes.push_back(node.name);
  found->flops += node.flops;
  found->bytes += node.bytes;
}

/// Adds each execution of a layer that could not be planned.
void add_dropped(std::vector<Unplanned>& groups, const Unit& unit, const std::string& reason) {
  const Computation computation = computation_of(unit.problem);
  OnnxSkipped node{.name = unit.layer.name,
                   .kind = std::holds_alternative<GemmShape>(unit.problem) ? "Gemm" : "Conv",
                   .reason = reason,
                   .flops = flops(computation)};
  for (const TensorAccess& tensor : computation.tensors)
    node.bytes +=
        static_cast<double>(footprint(tensor, extents_of(computation)) * tensor.element_bytes());
  for (int i = 0; i < unit.layer.count; ++i) {
    if (i > 0)
      node.name = static_cast<std::size_t>(i) <= unit.layer.others.size()
                      ? unit.layer.others[static_cast<std::size_t>(i) - 1]
                      : "";
    add_unplanned(groups, node);
  }
}

Listed listed_in_model(const std::string& path, const NetworkOptions& options) {
  const OnnxNetwork network = read_onnx(path, options.shapes);
  Listed listed;
  for (const OnnxLayer& layer : network.layers)
    listed.units.push_back({.layer = {.name = layer.name,
                                      .others = layer.others,
                                      .count = 1 + static_cast<int>(layer.others.size())},
                            .problem = layer.problem,
                            .epilogue = layer.epilogue});
  for (const OnnxSkipped& node : network.skipped) add_unplanned(listed.unplanned, node);
  return listed;
}

bool is_log(const std::string& text) {
  return text.find("onednn_verbose,") != std::string::npos ||
         text.find("dnnl_verbose,") != std::string::npos;
}

Listed listed_in_text(const std::string& path, const NetworkOptions& options) {
  if (!options.shapes.empty())
    throw Error(
        path + ": shapes of inputs are given, but this is no model (.onnx); they must be left out");
  Listed listed;
  const auto add = [&](const Problem& problem, int count) {
    listed.units.push_back({.layer = {.name = name_of(problem), .count = count},
                            .problem = problem,
                            .epilogue = options.plan.epilogue});
  };
  if (const std::string text = read_file(path, "a layer table or a log of oneDNN"); is_log(text)) {
    const LayerList list = read_workload(text, path);
    for (const WorkloadLayer& layer : list.layers) add(layer.problem, layer.count);
    for (const auto& [reason, count] : list.skipped)
      listed.unplanned.push_back(
          {.kind = "lines",
           .reason = reason,
           .nodes = std::vector<std::string>(static_cast<std::size_t>(count))});
    return listed;
  }
  for (const Problem& problem : load_layers(path)) add(problem, 1);
  return listed;
}

Listed layers_in(const std::string& path, const NetworkOptions& options) {
  return is_model(path) ? listed_in_model(path, options) : listed_in_text(path, options);
}

Plan plan_unit(const Unit& unit, const Machine& machine, const NetworkOptions& options) {
  Options chosen = options.plan;
  chosen.epilogue = unit.epilogue;
  return options.use_records ? plan_with_records(unit.problem, machine, chosen, options.records)
                             : plan(unit.problem, machine, chosen);
}

/// Returns the number of convolutions and products in `groups`.
int operations_in(const std::vector<Unplanned>& groups) {
  std::size_t count = 0;
  for (const Unplanned& group : groups)
    if (is_operation(group.kind)) count += group.nodes.size();
  return static_cast<int>(count);
}

}  // namespace

bool is_model(const std::string& path) {
  return std::filesystem::path(path).extension() == ".onnx";
}

bool is_network(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension();
  return extension == ".csv" || extension == ".log" || extension == ".onnx";
}

std::vector<ListedLayer> layers_of(const std::string& path) {
  std::vector<ListedLayer> layers;
  for (Unit& unit : layers_in(path, {}).units)
    layers.push_back({.name = unit.layer.name, .problem = unit.problem, .count = unit.layer.count});
  return layers;
}

NetworkPlan plan_network(const std::string& path, const Machine& machine,
                         const NetworkOptions& options) {
  Listed listed = layers_in(path, options);
  NetworkPlan network{.name = std::filesystem::path(path).stem(), .machine = machine};
  const auto all = static_cast<int>(listed.units.size());
  for (int done = 0; done < all; ++done) {
    if (options.progress) options.progress(done, all);
    Unit& unit = listed.units[static_cast<std::size_t>(done)];
    try {
      unit.layer.plan = plan_unit(unit, machine, options);
      network.planned += unit.layer.count;
      network.layers.push_back(std::move(unit.layer));
    } catch (const Error& error) {
      add_dropped(listed.unplanned, unit, error.what());
    }
  }
  std::ranges::stable_sort(listed.unplanned, std::greater(),
                           [](const Unplanned& group) { return group.nodes.size(); });
  network.operations = network.planned + operations_in(listed.unplanned);
  network.unplanned = std::move(listed.unplanned);
  if (network.layers.empty())
    throw Error(path + ": nothing to plan; must have a convolution or a product" +
                (network.unplanned.empty() ? "" : " (" + network.unplanned.back().reason + ")"));
  return network;
}

}  // namespace tileplan
