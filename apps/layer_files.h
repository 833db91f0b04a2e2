// SPDX-License-Identifier: Apache-2.0
// Layers are listed in tables and in verbose logs of oneDNN.
#pragma once

#include <string>
#include <vector>

#include "workload.h"

namespace tileplan {

/// Returns true when the name of `subject` ends in .csv or .log.
bool is_layer_file(const std::string& subject);

/// Returns the layers of `path`. A table (load_layers) lists each once. A log, which has lines of
/// onednn_verbose, gives each different convolution and product with the number of its executions;
/// what it skips goes to stderr. Throws Error as read_workload() and load_layers() do.
std::vector<WorkloadLayer> layers_of(const std::string& path);

}  // namespace tileplan
