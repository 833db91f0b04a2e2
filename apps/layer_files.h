// SPDX-License-Identifier: Apache-2.0
// Files that list layers: tables, and verbose logs of oneDNN.
#pragma once

#include <string>
#include <vector>

#include "workload.h"

namespace tileplan {

/// True when the name of `subject` ends as files of layers do: .csv or .log.
bool is_layer_file(const std::string& subject);

/// The layers of `path`: of a log, which has lines of onednn_verbose, each different convolution
/// and product once with how often it was executed, and what was skipped goes to stderr; else those
/// of a table (load_layers), once each. Throws Error as read_workload and load_layers do.
std::vector<WorkloadLayer> layers_of(const std::string& path);

}  // namespace tileplan
