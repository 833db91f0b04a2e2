// SPDX-License-Identifier: Apache-2.0
// These rules keep the onnx library from crashing or not ending when it infers shapes.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <unordered_map>

#include "onnx_values.h"

namespace tileplan {

/// Holds the version of each imported operator set, by domain.
using OperatorSets = std::unordered_map<std::string, int>;

std::string name_of(const onnx::NodeProto& node);

/// Throws Error with the node's name and `problem`, which says the value and the rule.
[[noreturn]] void refuse(const onnx::NodeProto& node, const std::string& problem);

/// Throws Error unless each value is written once, before it is read, and within the limits.
void check_graph(const onnx::GraphProto& graph);

/// Throws Error when an extent of `type` or their product is beyond the limits; `owner` has it.
void check_extents(const std::string& owner, const onnx::TypeProto& type);

/// Throws Error when `node` has other inputs, attributes or windows than its operation.
void check_node(const onnx::NodeProto& node, const ValueTypes& types, const OperatorSets& sets);

/// Returns true for convolutions and pools, whose attributes say how a window moves.
bool has_window(const onnx::NodeProto& node);

}  // namespace tileplan
