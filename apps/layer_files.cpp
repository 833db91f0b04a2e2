// SPDX-License-Identifier: Apache-2.0
// This file tells a log from a table by its lines, not by its name.
#include "layer_files.h"

#include <filesystem>
#include <iostream>

#include "files.h"
#include "tileplan/problem.h"

namespace tileplan {

namespace {

bool is_log(const std::string& text) {
  return text.find("onednn_verbose,") != std::string::npos ||
         text.find("dnnl_verbose,") != std::string::npos;
}

}  // namespace

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

}  // namespace tileplan
