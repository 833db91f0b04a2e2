// SPDX-License-Identifier: Apache-2.0
// One pass over the graph fills the tables.
#include "onnx_values.h"

#include <algorithm>
#include <cstring>

namespace tileplan {
namespace {

constexpr int kGraphOutput = 1 << 30;

/// Returns the number of a tensor that has one, which is in `list` or in `raw`.
template <class Number, class List>
std::optional<double> only_number(const List& list, const std::string& raw) {
  if (list.size() == 1) return list[0];
  Number number = 0;
  if (raw.size() != sizeof(number)) return std::nullopt;
  std::memcpy(&number, raw.data(), sizeof(number));
  return number;
}

}  // namespace

std::optional<Shape> extents_of(const onnx::TypeProto& type) {
  if (!type.tensor_type().has_shape()) return std::nullopt;
  Shape extents;
  for (const auto& dim : type.tensor_type().shape().dim()) {
    if (dim.dim_value() < 1) return std::nullopt;
    extents.push_back(dim.dim_value());
  }
  return extents;
}

OnnxValues::OnnxValues(const onnx::GraphProto& graph, const ValueTypes& types) : types_(types) {
  for (const onnx::TensorProto& tensor : graph.initializer()) {
    constants_[tensor.name()] = &tensor;
    constant_values_.insert(tensor.name());
  }
  for (int i = 0; i < graph.node_size(); ++i) {
    const onnx::NodeProto& node = graph.node(i);
    for (const std::string& input : node.input())
      if (!input.empty()) readers_[input].push_back(i);
    for (const std::string& output : node.output()) producers_[output] = i;
    if (const auto* tensor = constant_tensor(node)) constants_[node.output(0)] = tensor;
    if (is_computed_constant(node))
      constant_values_.insert(node.output().begin(), node.output().end());
  }
  for (const onnx::ValueInfoProto& output : graph.output())
    readers_[output.name()].push_back(kGraphOutput);
}

bool OnnxValues::is_computed_constant(const onnx::NodeProto& node) const {
  if (node.op_type().starts_with("Random")) return false;
  return std::ranges::all_of(
      node.input(), [&](const std::string& input) { return input.empty() || is_constant(input); });
}

std::optional<Shape> OnnxValues::shape(const std::string& value) const {
  const auto found = types_.find(value);
  return found == types_.end() ? std::nullopt : extents_of(found->second);
}

int OnnxValues::element_type(const std::string& value) const {
  const auto found = types_.find(value);
  return found == types_.end() ? onnx::TensorProto::UNDEFINED
                               : found->second.tensor_type().elem_type();
}

std::optional<double> OnnxValues::scalar(const std::string& value) const {
  const auto found = constants_.find(value);
  if (found == constants_.end()) return std::nullopt;
  const onnx::TensorProto& tensor = *found->second;
  if (tensor.data_type() == onnx::TensorProto::FLOAT)
    return only_number<float>(tensor.float_data(), tensor.raw_data());
  if (tensor.data_type() == onnx::TensorProto::DOUBLE)
    return only_number<double>(tensor.double_data(), tensor.raw_data());
  return std::nullopt;
}

std::vector<int> OnnxValues::readers(const std::string& value) const {
  const auto found = readers_.find(value);
  return found == readers_.end() ? std::vector<int>() : found->second;
}

int OnnxValues::producer(const std::string& value) const {
  const auto found = producers_.find(value);
  return found == producers_.end() ? -1 : found->second;
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

std::int64_t integer_of(const onnx::NodeProto& node, const char* name, std::int64_t otherwise) {
  const onnx::AttributeProto* found = find_attribute(node, name);
  return found ? found->i() : otherwise;
}

float real_of(const onnx::NodeProto& node, const char* name, float otherwise) {
  const onnx::AttributeProto* found = find_attribute(node, name);
  return found ? found->f() : otherwise;
}

Shape integers_of(const onnx::NodeProto& node, const char* name, Shape otherwise) {
  const onnx::AttributeProto* found = find_attribute(node, name);
  if (!found) return otherwise;
  return {found->ints().begin(), found->ints().end()};
}

}  // namespace tileplan
