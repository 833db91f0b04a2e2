// SPDX-License-Identifier: Apache-2.0
// This file reads networks and plans each of their layers.
#include "network.h"

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "documents.h"
#include "files.h"
#include "recall.h"
#include "tileplan/error.h"
#include "version.h"

namespace tileplan {
namespace {

Plan verify_with_records(Plan plan, const PlanFlags& flags) {
  if (flags.no_records) return verify(std::move(plan));
  Records records(flags.records.empty() ? records_path() : flags.records);
  const RecallOptions recall_options{.version = version_and_commit()};
  recall(plan, records, recall_options);
  Plan verified = verify(std::move(plan));
  remember(verified, records, recall_options);
  return verified;
}

bool is_log(const std::string& text) {
  return text.find("onednn_verbose,") != std::string::npos ||
         text.find("dnnl_verbose,") != std::string::npos;
}

/// A layer stands for the equal ones that follow it.
int executions_of(const OnnxLayer& layer) { return 1 + static_cast<int>(layer.others.size()); }

std::string file_name(std::size_t index) { return "layer-" + std::to_string(index + 1) + ".plan"; }

Json index_document(const PlannedModel& model, const std::string& path) {
  Json layers = Json::array();
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const auto& [layer, plan] = model.layers[i];
    Json nodes = Json::array({layer.name});
    for (const std::string& each : layer.others) nodes.push_back(each);
    layers.push_back({{"plan", file_name(i)},
                      {"nodes", nodes},
                      {"problem", to_string(layer.problem)},
                      {"epilogue", to_string(layer.epilogue)},
                      {"schedule", to_string(plan.candidates.front().schedule)},
                      {"predicted_s", plan.candidates.front().prediction.seconds}});
  }
  return {{"model", std::filesystem::path(path).filename().string()},
          {"layers", layers},
          {"unplanned", unplanned_json(model.unplanned)}};
}

void save_plans(const PlannedModel& model, const Json& index, const std::string& folder) {
  const std::filesystem::path root(folder);
  for (std::size_t i = 0; i < model.layers.size(); ++i)
    save_plan(model.layers[i].plan, root / file_name(i));
  write_file(root / "index.json", index.dump(2) + "\n");
}

void print_layers(const PlannedModel& model) {
  std::vector<std::vector<std::string>> rows{
      {"layer", "times", "problem", "epilogue", "predicted", "schedule"}};
  for (const auto& [layer, plan] : model.layers)
    rows.push_back({layer.name, std::to_string(executions_of(layer)), to_string(layer.problem),
                    to_string(layer.epilogue),
                    format_seconds(plan.candidates.front().prediction.seconds),
                    to_string(plan.candidates.front().schedule)});
  std::cout << aligned(rows);
  for (const Unplanned& each : model.unplanned)
    std::cout << "not planned: " << each.name << ": " << each.reason << '\n';
}

}  // namespace

Plan plan_with_records(const Problem& problem, const Machine& machine, Options options,
                       const PlanFlags& flags) {
  const int count = options.verify;
  options.top = std::max(options.top, count);
  options.verify = 0;
  Plan result = plan(problem, machine, options);
  result.options.verify = count;
  return count > 0 ? verify_with_records(std::move(result), flags) : result;
}

bool is_layer_file(const std::string& subject) {
  const std::string extension = std::filesystem::path(subject).extension();
  return extension == ".csv" || extension == ".log";
}

std::vector<WorkloadLayer> layers_of(const std::string& path) {
  if (const std::string text = read_file(path, "a layer table or a log of oneDNN"); is_log(text)) {
    const LayerList list = read_workload(text, path);
    for (const auto& [reason, count] : list.skipped)
      std::cerr << "note: " << path << ": " << count << " lines were skipped: " << reason << '\n';
    return list.layers;
  }
  std::vector<WorkloadLayer> layers;
  for (const Problem& problem : load_layers(path)) layers.push_back({.problem = problem});
  return layers;
}

bool is_model(const std::string& subject) {
  return std::filesystem::path(subject).extension() == ".onnx";
}

void require_no_shapes(const PlanFlags& flags) {
  if (!flags.shapes.empty() && !is_model(flags.problem))
    throw Error("--shape: " + flags.shapes.front() + ", but '" + flags.problem +
                "' is no model (.onnx); must be left out");
}

PlannedModel plan_layers(const PlanFlags& flags, const Machine& machine) {
  Options options = options_of(flags);
  const OnnxNetwork network = read_onnx(flags.problem, parse_shapes(flags.shapes));
  PlannedModel model;
  for (const OnnxSkipped& each : network.skipped)
    model.unplanned.push_back({each.name, each.reason});
  for (const OnnxLayer& layer : network.layers) {
    options.epilogue = layer.epilogue;
    try {
      model.layers.push_back({layer, plan_with_records(layer.problem, machine, options, flags)});
    } catch (const Error& error) {
      model.unplanned.push_back({layer.name, error.what()});
    }
  }
  if (model.layers.empty())
    throw Error(flags.problem + ": nothing to plan; must have a convolution or a product" +
                (model.unplanned.empty() ? "" : " (" + model.unplanned.back().reason + ")"));
  return model;
}

Network network_of(const std::string& path, const std::vector<PlannedLayer>& layers,
                   const std::vector<Unplanned>& unplanned) {
  Network network{.name = std::filesystem::path(path).stem(), .layers = {}, .unplanned = unplanned};
  std::vector<Plan> plans(layers.size());
  std::ranges::transform(layers, plans.begin(), &PlannedLayer::plan);
  std::vector<LayerReport> reports = layer_reports(plans);
  for (std::size_t i = 0; i < layers.size(); ++i)
    network.layers.push_back({layers[i].name, std::move(reports[i]), layers[i].count});
  return network;
}

Network network_of(const std::string& path, const PlannedModel& model) {
  std::vector<PlannedLayer> layers;
  for (const auto& [layer, plan] : model.layers)
    layers.push_back({layer.name, plan, executions_of(layer)});
  return network_of(path, layers, model.unplanned);
}

void plan_model(const PlanFlags& flags, const std::string& save) {
  std::error_code error;
  if (!save.empty()) std::filesystem::create_directories(save, error);
  if (!save.empty() && !std::filesystem::is_directory(save))
    throw Error("--save: " + save + " is no folder and cannot be made one");
  const Machine machine = machine_of(flags);
  const PlannedModel model = plan_layers(flags, machine);
  print_machine_notes(machine);
  const Json index = index_document(model, flags.problem);
  if (!save.empty()) save_plans(model, index, save);
  flags.json ? print_json(index) : print_layers(model);
}

}  // namespace tileplan
