// SPDX-License-Identifier: Apache-2.0
// Reading, checking and inferring are the onnx library's.
#include "onnx_values.h"

#include <onnx/shape_inference/implementation.h>

#include <cstring>
#include <exception>
#include <fstream>

#include "tileplan/error.h"

namespace tileplan {

namespace {

constexpr int kGraphOutput = 1 << 30;

onnx::ModelProto parsed_model(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(path + ": cannot be read; must be an ONNX model");
  onnx::ModelProto model;
  if (!model.ParseFromIstream(&file) || model.graph().node().empty())
    throw Error(path + ": not an ONNX model, or cut off");
  return model;
}

std::string shape_text(const onnx::TensorShapeProto& shape) {
  std::string text;
  for (const auto& dim : shape.dim())
    text.append(text.empty() ? "" : "x")
        .append(dim.has_dim_value() ? std::to_string(dim.dim_value()) : "?");
  return text;
}

bool is_open(const onnx::TensorShapeProto& shape) {
  for (const auto& dim : shape.dim())
    if (!dim.has_dim_value() || dim.dim_value() < 1) return true;
  return false;
}

void set_shape(onnx::ValueInfoProto& input, const Shape& extents) {
  onnx::TensorShapeProto* shape = input.mutable_type()->mutable_tensor_type()->mutable_shape();
  shape->clear_dim();
  for (const std::int64_t extent : extents) shape->add_dim()->set_dim_value(extent);
}

/// Applies `shapes`; afterwards no input is open.
void close_inputs(const std::string& path, onnx::GraphProto& graph, InputShapes shapes) {
  for (onnx::ValueInfoProto& input : *graph.mutable_input()) {
    const auto given = shapes.find(input.name());
    if (given != shapes.end()) {
      set_shape(input, given->second);
      shapes.erase(given);
    }
    const onnx::TypeProto::Tensor& type = input.type().tensor_type();
    if (!type.has_shape() || is_open(type.shape()))
      throw Error(path + ": the shape of input " + input.name() + " is " +
                  (type.has_shape() ? shape_text(type.shape()) : "open") +
                  "; say it in numbers with --shape " + input.name() + "=1x3x224x224");
  }
  if (!shapes.empty())
    throw Error("--shape: the model has no input '" + shapes.begin()->first +
                "'; must be one of the inputs of its graph");
}

/// Nothing when a size is open.
std::optional<Shape> extents_of(const onnx::ValueInfoProto& value) {
  const onnx::TypeProto::Tensor& type = value.type().tensor_type();
  if (!type.has_shape() || is_open(type.shape())) return std::nullopt;
  Shape extents;
  for (const auto& dim : type.shape().dim()) extents.push_back(dim.dim_value());
  return extents;
}

/// The number of a tensor that has one, in either of its two forms.
template <class Number, class List>
std::optional<double> only_number(const List& list, const std::string& raw) {
  if (list.size() == 1) return list[0];
  Number number = 0;
  if (raw.size() != sizeof(number)) return std::nullopt;
  std::memcpy(&number, raw.data(), sizeof(number));
  return number;
}

const onnx::AttributeProto* attribute(const onnx::NodeProto& node, const char* name) {
  for (const onnx::AttributeProto& each : node.attribute())
    if (each.name() == name) return &each;
  return nullptr;
}

}  // namespace

onnx::ModelProto inferred_model(const std::string& path, const InputShapes& shapes) {
  onnx::ModelProto model = parsed_model(path);
  close_inputs(path, *model.mutable_graph(), shapes);
  // What exporters inferred for other input shapes would stay as it is.
  if (!shapes.empty()) {
    model.mutable_graph()->clear_value_info();
    for (onnx::ValueInfoProto& output : *model.mutable_graph()->mutable_output())
      output.mutable_type()->mutable_tensor_type()->clear_shape();
  }
  try {
    onnx::shape_inference::InferShapes(model);
  } catch (const std::exception& error) {
    throw Error(path + ": shapes cannot be inferred (" + error.what() + ")");
  }
  return model;
}

OnnxValues::OnnxValues(const onnx::GraphProto& graph) {
  for (const auto* values : {&graph.input(), &graph.value_info(), &graph.output()})
    for (const onnx::ValueInfoProto& value : *values) add_shape(value);
  for (const onnx::TensorProto& tensor : graph.initializer()) add_constant(tensor.name(), tensor);
  for (int i = 0; i < graph.node_size(); ++i) {
    const onnx::NodeProto& node = graph.node(i);
    for (const std::string& input : node.input()) readers_[input].push_back(i);
    for (const std::string& output : node.output()) producers_[output] = i;
    const onnx::AttributeProto* value = attribute(node, "value");
    if (node.op_type() == "Constant" && value) add_constant(node.output(0), value->t());
  }
  for (const onnx::ValueInfoProto& output : graph.output())
    readers_[output.name()].push_back(kGraphOutput);
}

void OnnxValues::add_shape(const onnx::ValueInfoProto& value) {
  if (const std::optional<Shape> extents = extents_of(value)) shapes_[value.name()] = *extents;
  types_[value.name()] = value.type().tensor_type().elem_type();
}

void OnnxValues::add_constant(const std::string& name, const onnx::TensorProto& tensor) {
  constants_[name] = &tensor;
  shapes_[name] = {tensor.dims().begin(), tensor.dims().end()};
  types_[name] = tensor.data_type();
}

std::optional<Shape> OnnxValues::shape(const std::string& value) const {
  const auto found = shapes_.find(value);
  return found == shapes_.end() ? std::nullopt : std::optional(found->second);
}

int OnnxValues::element_type(const std::string& value) const {
  const auto found = types_.find(value);
  return found == types_.end() ? onnx::TensorProto::UNDEFINED : found->second;
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

const std::vector<int>& OnnxValues::readers(const std::string& value) const {
  static const std::vector<int> none;
  const auto found = readers_.find(value);
  return found == readers_.end() ? none : found->second;
}

int OnnxValues::producer(const std::string& value) const {
  const auto found = producers_.find(value);
  return found == producers_.end() ? -1 : found->second;
}

std::int64_t integer_of(const onnx::NodeProto& node, const char* name, std::int64_t otherwise) {
  const onnx::AttributeProto* found = attribute(node, name);
  return found ? found->i() : otherwise;
}

float real_of(const onnx::NodeProto& node, const char* name, float otherwise) {
  const onnx::AttributeProto* found = attribute(node, name);
  return found ? found->f() : otherwise;
}

std::vector<std::int64_t> integers_of(const onnx::NodeProto& node, const char* name,
                                      std::vector<std::int64_t> otherwise) {
  const onnx::AttributeProto* found = attribute(node, name);
  if (!found) return otherwise;
  return {found->ints().begin(), found->ints().end()};
}

std::string text_of(const onnx::NodeProto& node, const char* name, const char* otherwise) {
  const onnx::AttributeProto* found = attribute(node, name);
  return found ? found->s() : otherwise;
}

}  // namespace tileplan
