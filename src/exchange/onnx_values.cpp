// SPDX-License-Identifier: Apache-2.0
// This file reads single fields of ONNX messages.
#include "onnx_values.h"

namespace tileplan {

std::optional<Shape> extents_of(const onnx::TypeProto& type) {
  if (!type.tensor_type().has_shape()) return std::nullopt;
  Shape extents;
  for (const auto& dim : type.tensor_type().shape().dim()) {
    if (dim.dim_value() < 1) return std::nullopt;
    extents.push_back(dim.dim_value());
  }
  return extents;
}

const onnx::AttributeProto* find_attribute(const onnx::NodeProto& node, const char* name) {
  for (const onnx::AttributeProto& each : node.attribute())
    if (each.name() == name) return &each;
  return nullptr;
}

const onnx::TensorProto* constant_tensor(const onnx::NodeProto& node) {
  const onnx::AttributeProto* value = find_attribute(node, "value");
  return node.op_type() == "Constant" && value && value->has_t() ? &value->t() : nullptr;
}

}  // namespace tileplan
