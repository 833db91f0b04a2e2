// SPDX-License-Identifier: Apache-2.0
// This file declares rules that keep the onnx library from crashing or hanging when it infers
// shapes.
#pragma once

#include <unordered_map>

#include "onnx_values.h"

namespace tileplan {

/// Maps the domain of each imported operator set to its version.
using OperatorSets = std::unordered_map<std::string, int>;

/// Returns the name of `node`. If the name is empty, returns the name of the first output or, for a
/// node without outputs, the operation.
std::string name_of(const onnx::NodeProto& node);

/// Throws Error with the node's name and `problem`, which states the value and the rule.
[[noreturn]] void refuse(const onnx::NodeProto& node, const std::string& problem);

/// Throws Error unless each node has an output, each value is written once before it is read, and
/// all declared types and dense weights keep the limits of check_extents(). Throws Error also for
/// negative extents of dense weights.
void check_graph(const onnx::GraphProto& graph);

/// Throws Error that names `owner` when an extent of `type` exceeds 2^31 - 1 or the product of its
/// extents exceeds 2^40. Unknown extents and extents below 1 are left out.
void check_extents(const std::string& owner, const onnx::TypeProto& type);

/// Throws Error when the inputs, outputs or attributes of `node` do not match its operation,
/// provided that the onnx library knows the imported version. Throws Error also when has_window()
/// is true and the window does not fit the ranks of the inputs or has numbers that are too small or
/// too large.
void check_node(const onnx::NodeProto& node, const ValueTypes& types, const OperatorSets& sets);

/// Returns true for ONNX operators such as Conv and MaxPool, whose attributes describe a sliding
/// window. Returns false for DeformConv and for pools over whole planes.
bool has_window(const onnx::NodeProto& node);

}  // namespace tileplan
