// SPDX-License-Identifier: Apache-2.0
// These rules keep the onnx library from crashing or not ending when it infers shapes.
#pragma once

#include <unordered_map>

#include "onnx_values.h"

namespace tileplan {

/// Holds the version of each imported operator set, by domain.
using OperatorSets = std::unordered_map<std::string, int>;

/// Returns the name of `node`, else that of its first output, else its operation.
std::string name_of(const onnx::NodeProto& node);

/// Throws Error with the node's name and `problem`, which says the value and the rule.
[[noreturn]] void refuse(const onnx::NodeProto& node, const std::string& problem);

/// Throws Error unless each value is written once and before it is read, and every declared extent
/// is within the limits.
void check_graph(const onnx::GraphProto& graph);

/// Throws Error that names `owner` when an extent of `type` or their product is beyond the limits.
void check_extents(const std::string& owner, const onnx::TypeProto& type);

/// Throws Error when `node` has other inputs or attributes than its operation, as far as the onnx
/// library knows the imported version, or when its window does not fit the ranks of its inputs.
void check_node(const onnx::NodeProto& node, const ValueTypes& types, const OperatorSets& sets);

/// Returns true for convolutions and pools, whose attributes say how a window moves.
bool has_window(const onnx::NodeProto& node);

}  // namespace tileplan
