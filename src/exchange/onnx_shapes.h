// SPDX-License-Identifier: Apache-2.0
// This file declares types for the extents of values of an ONNX graph.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tileplan {

using Shape = std::vector<std::int64_t>;

/// Holds the extents of inputs of a graph, by name.
using InputShapes = std::map<std::string, Shape>;

}  // namespace tileplan
