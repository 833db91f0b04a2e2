// SPDX-License-Identifier: Apache-2.0
// This file declares a model with its types, and functions that read single fields of ONNX
// messages.
#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <optional>
#include <string>

#include "onnx_shapes.h"

namespace tileplan {

/// Maps the names of values to their types. Values of unknown type are missing.
using ValueTypes = std::map<std::string, onnx::TypeProto>;

struct OnnxModel {
  onnx::ModelProto proto;
  ValueTypes types;  ///< Holds the known types of inputs, weights and results.
};

/// Returns the model in the file `path` with the types that the onnx library infers. `shapes`
/// replaces the shapes of the inputs that it names. Throws Error as load_onnx() does, without the
/// file's name.
OnnxModel load_model(const std::string& path, const InputShapes& shapes);

/// Returns the extents of a tensor, or nothing when its rank or an extent is unknown, or when an
/// extent is below 1.
std::optional<Shape> extents_of(const onnx::TypeProto& type);

/// Returns the tensor of a Constant node with an attribute `value`, or null.
const onnx::TensorProto* constant_tensor(const onnx::NodeProto& node);

/// Returns the attribute `name` of `node`, or null.
const onnx::AttributeProto* find_attribute(const onnx::NodeProto& node, const char* name);

}  // namespace tileplan
