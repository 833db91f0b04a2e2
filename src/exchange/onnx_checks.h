// SPDX-License-Identifier: Apache-2.0
// This file declares rules that keep the onnx library from crashing or hanging when it infers
// shapes.
#pragma once

#include <unordered_map>

#include "onnx_values.h"

namespace tileplan {

/// Maps the domain of each imported operator set to its version.
using OperatorSets = std::unordered_map<std::string, int>;

/// Returns the name of `node`. If it is empty, returns the name of its first output, or else its
/// operation.
std::string name_of(const onnx::NodeProto& node);

/// Throws Error with the node's name and `problem`, which states the value and the rule.
[[noreturn]] void refuse(const onnx::NodeProto& node, const std::string& problem);

/// Throws Error unless each node has an output, each value is written once before it is read, and
/// all declared types and weights keep the limits of check_extents().
void check_graph(const onnx::GraphProto& graph);

/// Throws Error that names `owner` when an extent of `type` exceeds 2^31 - 1 or the product of its
/// extents exceeds 2^40. Unknown extents are left out.
void check_extents(const std::string& owner, const onnx::TypeProto& type);

/// Throws Error when the inputs or attributes of `node` do not match its operation, provided that
/// the onnx library knows the imported version. Also throws Error when the window of `node` does
/// not fit the ranks of its inputs.
void check_node(const onnx::NodeProto& node, const ValueTypes& types, const OperatorSets& sets);

/// Returns true for convolutions and pools, whose attributes describe a sliding window.
bool has_window(const onnx::NodeProto& node);

}  // namespace tileplan
