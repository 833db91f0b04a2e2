// SPDX-License-Identifier: Apache-2.0
// This file reads models and lists of layers, and plans the layers of lists.
#include <filesystem>

#include "coverage.h"
#include "plan_graph.h"
#include "rewrite.h"
#include "shortened.h"
#include "tileplan/error.h"
#include "tileplan/file.h"
#include "workload.h"

namespace tileplan {
namespace {

/// Holds the layers of a table or a log, and the lines that cannot be planned.
struct Listed {
  std::vector<ListedLayer> layers = {};
  std::vector<Unplanned> unplanned = {};
};

/// Returns true for a verbose log of oneDNN, and for lines of benchdnn, one of which begins with
/// "--". A table begins with names of columns.
bool is_log(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return (first != std::string::npos && text.compare(first, 2, "--") == 0) ||
         text.find("\n--") != std::string::npos ||
         text.find("onednn_verbose,") != std::string::npos ||
         text.find("dnnl_verbose,") != std::string::npos;
}

Listed listed_in_text(const std::string& path) {
  Listed listed;
  const auto add = [&](const Problem& problem, int count) {
    listed.layers.push_back(
        {.name = printable(name_of(problem)), .problem = problem, .count = count});
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

std::vector<ListedLayer> layers_of_model(
    const std::string& path, const std::map<std::string, std::vector<std::int64_t>>& shapes) {
  const Graph graph = rewritten(load_onnx(path, shapes));
  const GraphLayers found = graph_layers(graph);
  std::vector<ListedLayer> layers;
  for (std::size_t i = 0; i < found.layers.size(); ++i) {
    const std::vector<std::string> nodes = nodes_of(graph, found, static_cast<int>(i));
    layers.push_back({.name = nodes.front(),
                      .problem = found.layers[i].problem,
                      .count = static_cast<int>(nodes.size())});
  }
  return layers;
}

/// Adds the plan of one line, or the reason why the line has no plan.
void plan_line(NetworkPlan& network, LayerPlanner& planner, const ListedLayer& line,
               const NetworkOptions& options) {
  try {
    network.layers.push_back({.name = line.name,
                              .count = line.count,
                              .plan = planner.plan_layer(line.problem, options.plan.epilogue,
                                                         options.plan.top, options.plan.regime)});
    network.planned += line.count;
  } catch (const Error& error) {
    SkippedLayer dropped = dropped_layer(line.name, line.problem, error.what());
    for (int i = 0; i < line.count; ++i, dropped.name.clear())
      add_unplanned(network.unplanned, dropped);
  }
}

NetworkPlan plan_list(const std::string& path, const Machine& machine,
                      const NetworkOptions& options) {
  if (!options.shapes.empty())
    throw Error(
        path + ": shapes of inputs are given, but this is no model (.onnx); they must be left out");
  Listed listed = listed_in_text(path);
  LayerPlanner planner(machine, options);
  NetworkPlan network{.machine = machine, .unplanned = std::move(listed.unplanned)};
  const auto all = static_cast<int>(listed.layers.size());
  for (int done = 0; done < all; ++done) {
    if (options.progress) options.progress(done, all);
    plan_line(network, planner, listed.layers[static_cast<std::size_t>(done)], options);
  }
  count_operations(network);
  if (network.layers.empty()) throw Error(path + ": " + nothing_to_plan_text(network.unplanned));
  return network;
}

}  // namespace

bool is_model(const std::string& path) {
  return std::filesystem::path(path).extension() == ".onnx";
}

bool is_network(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension();
  return extension == ".csv" || extension == ".log" || extension == ".onnx";
}

std::vector<ListedLayer> layers_of(const std::string& path,
                                   const std::map<std::string, std::vector<std::int64_t>>& shapes) {
  return is_model(path) ? layers_of_model(path, shapes) : listed_in_text(path).layers;
}

NetworkPlan plan_network(const std::string& path, const Machine& machine,
                         const NetworkOptions& options) {
  const std::string name = printable(std::filesystem::path(path).stem().string());
  NetworkPlan network;
  if (is_model(path)) {
    Graph graph = load_onnx(path, options.shapes);
    graph.name = path;
    network = plan_network(graph, machine, options);
  } else {
    network = plan_list(path, machine, options);
  }
  network.name = name;
  return network;
}

}  // namespace tileplan
