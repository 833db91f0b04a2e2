// SPDX-License-Identifier: Apache-2.0
// `tileplan run MODEL.onnx` runs a whole network.
#pragma once

#include "flags.h"

namespace tileplan {

/// Names the files of the inputs and outputs of a run. Their numbers are little-endian and
/// row-major, in the element types of the model.
struct ModelFiles {
  /// Lists the input files as NAME=FILE, such as "image=cat.f32".
  std::vector<std::string> inputs = {};
  std::string outputs = {};  ///< Names the folder for one file per output.
  std::string save = {};     ///< Names the file to which the compiled network is written.
};

/// Plans and compiles the model and checks each step and the outputs. If all checks passed,
/// measures whole runs and, unless `files.save` is empty, saves the network there. If `files` names
/// inputs and outputs, runs the network once on these inputs. Returns Status::no when a check
/// failed. Throws Error when `files` names inputs but no outputs, or outputs but no inputs.
Status run_model(const PlanFlags& flags, const ModelFiles& files);

/// Loads the network in the file at `path` and measures whole runs. Loading compares the outputs of
/// the network with those in the file. If `files` names inputs and outputs, then runs the network
/// once on these inputs. Throws Error when `files` names inputs but no outputs, or outputs but no
/// inputs.
Status run_saved_network(const std::string& path, const PlanFlags& flags, const ModelFiles& files);

}  // namespace tileplan
