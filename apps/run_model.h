// SPDX-License-Identifier: Apache-2.0
// `tileplan run MODEL.onnx` runs a whole network.
#pragma once

#include "flags.h"

namespace tileplan {

/// Names the tensors of a run. All are f32, little-endian and row-major.
struct ModelFiles {
  std::vector<std::string> inputs = {};  ///< Each text has a form such as "image=cat.f32".
  std::string outputs = {};              ///< Each output is written to a file in this folder.
  std::string save = {};                 ///< The compiled network is written to this file.
};

/// Plans and compiles the model, checks each step and the outputs, and times whole runs. With
/// `files`, a run on given inputs follows. Returns `no` when a check failed.
Status run_model(const PlanFlags& flags, const ModelFiles& files);

/// Loads the network in the file `path`, which checks its outputs, and times whole runs. With
/// `files`, a run on given inputs follows.
Status run_saved_network(const std::string& path, const PlanFlags& flags, const ModelFiles& files);

}  // namespace tileplan
