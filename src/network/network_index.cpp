// SPDX-License-Identifier: Apache-2.0
// This file writes the plans of a network and an index of their files.
#include <filesystem>

#include "coverage.h"
#include "tileplan/error.h"
#include "tileplan/file.h"

namespace tileplan {
namespace {

using Json = nlohmann::ordered_json;

std::string file_name(std::size_t index) { return "layer-" + std::to_string(index + 1) + ".plan"; }

Json layer_json(const NetworkLayer& layer, std::size_t index) {
  Json nodes = Json::array({layer.name});
  for (const std::string& other : layer.others) nodes.push_back(other);
  const Candidate& choice = layer.plan.candidates.front();
  return {{"plan", file_name(index)},
          {"nodes", nodes},
          {"problem", to_string(layer.plan.problem)},
          {"epilogue", to_string(layer.plan.options.epilogue)},
          {"schedule", to_string(choice.schedule)},
          {"predicted_s", choice.prediction.seconds}};
}

}  // namespace

std::string to_json(const NetworkPlan& network) {
  Json layers = Json::array();
  for (std::size_t i = 0; i < network.layers.size(); ++i)
    layers.push_back(layer_json(network.layers[i], i));
  return Json{{"model", network.name},
              {"operations", network.operations},
              {"planned", network.planned},
              {"layers", layers},
              {"unplanned", unplanned_json(network.unplanned)}}
      .dump(2);
}

void save_network(const NetworkPlan& network, const std::string& folder) {
  const std::filesystem::path root(folder);
  std::error_code error;
  std::filesystem::create_directories(root, error);
  if (!std::filesystem::is_directory(root))
    throw Error("--save: " + folder + " is no folder and cannot be made one");
  for (std::size_t i = 0; i < network.layers.size(); ++i)
    save_plan(network.layers[i].plan, root / file_name(i));
  write_file(root / "index.json", to_json(network) + '\n');
}

}  // namespace tileplan
