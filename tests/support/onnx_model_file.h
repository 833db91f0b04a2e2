// SPDX-License-Identifier: Apache-2.0
// This file builds ONNX models for tests.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "half.h"
#include "temporary_folder.h"
#include "tileplan/graph.h"

namespace tileplan {

using Shape = std::vector<std::int64_t>;

/// Builds a model with one input. load() writes the model to a temporary file and reads it back. An
/// input extent of 0 stands for an unknown extent.
class OnnxModelFile {
 public:
  OnnxModelFile(const std::string& input, const Shape& shape,
                onnx::TensorProto::DataType type_of_all = onnx::TensorProto::FLOAT,
                int version = 13)
      : type_(type_of_all) {
    model_.set_ir_version(8);
    model_.add_opset_import()->set_version(version);
    auto* value = model_.mutable_graph()->add_input();
    value->set_name(input);
    auto* type = value->mutable_type()->mutable_tensor_type();
    type->set_elem_type(type_);
    for (const std::int64_t size : shape)
      if (size > 0)
        type->mutable_shape()->add_dim()->set_dim_value(size);
      else
        type->mutable_shape()->add_dim()->set_dim_param("open");
  }

  std::string weight(const std::string& name, const Shape& shape, float value = 0) {
    auto* tensor = model_.mutable_graph()->add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(type_);
    std::int64_t elements = 1;
    for (const std::int64_t size : shape) {
      tensor->add_dims(size);
      elements *= size;
    }
    for (std::int64_t i = 0; i < elements; ++i)
      if (type_ == onnx::TensorProto::DOUBLE)
        tensor->add_double_data(value);
      else if (type_ == onnx::TensorProto::FLOAT16)
        tensor->add_int32_data(F16(value).bits);
      else
        tensor->add_float_data(value);
    return name;
  }

  /// Adds a constant list of integers and returns its name.
  std::string integers(const std::string& name, const Shape& values) {
    auto* tensor = model_.mutable_graph()->add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(onnx::TensorProto::INT64);
    tensor->add_dims(static_cast<std::int64_t>(values.size()));
    for (const std::int64_t value : values) tensor->add_int64_data(value);
    return name;
  }

  /// Adds a node that writes the value `result`, which by default has the name of the node.
  onnx::NodeProto& node(const std::string& operation, const std::string& name,
                        const std::vector<std::string>& inputs, const std::string& result = "") {
    auto* node = model_.mutable_graph()->add_node();
    node->set_op_type(operation);
    node->set_name(name);
    for (const std::string& input : inputs) node->add_input(input);
    node->add_output(result.empty() ? name : result);
    return *node;
  }

  void output(const std::string& name, const Shape& shape) {
    auto* value = model_.mutable_graph()->add_output();
    value->set_name(name);
    auto* type = value->mutable_type()->mutable_tensor_type();
    type->set_elem_type(type_);
    for (const std::int64_t size : shape) type->mutable_shape()->add_dim()->set_dim_value(size);
  }

  static onnx::AttributeProto& attribute(onnx::NodeProto& node, const char* name,
                                         onnx::AttributeProto::AttributeType type) {
    auto* attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(type);
    return *attribute;
  }
  static void set(onnx::NodeProto& node, const char* name, const Shape& values) {
    auto& ints = attribute(node, name, onnx::AttributeProto::INTS);
    for (const std::int64_t value : values) ints.add_ints(value);
  }
  static void set(onnx::NodeProto& node, const char* name, std::int64_t value) {
    attribute(node, name, onnx::AttributeProto::INT).set_i(value);
  }

  void reshape(const std::string& name, const std::string& input, const Shape& shape) {
    auto* value =
        attribute(node("Constant", name + " shape", {}), "value", onnx::AttributeProto::TENSOR)
            .mutable_t();
    value->set_data_type(onnx::TensorProto::INT64);
    value->add_dims(static_cast<std::int64_t>(shape.size()));
    for (const std::int64_t extent : shape) value->add_int64_data(extent);
    node("Reshape", name, {input, name + " shape"});
  }

  /// Adds a function of two Relu nodes, and a node that calls it.
  void call(const std::string& function, const std::string& name, const std::string& input) {
    auto* import = model_.add_opset_import();
    import->set_domain("local");
    import->set_version(1);
    auto* body = model_.add_functions();
    body->set_domain("local");
    body->set_name(function);
    body->add_input("a");
    body->add_output("c");
    body->add_opset_import()->set_version(13);
    for (const auto& [from, to] : {std::pair{"a", "b"}, std::pair{"b", "c"}}) {
      auto* relu = body->add_node();
      relu->set_op_type("Relu");
      relu->add_input(from);
      relu->add_output(to);
    }
    node(function, name, {input}).set_domain("local");
  }

  std::string bytes() const { return model_.SerializeAsString(); }
  Graph load(const std::map<std::string, Shape>& shapes = {}) const {
    const TemporaryFolder folder;
    const std::string path = folder / "model.onnx";
    std::ofstream(path, std::ios::binary) << bytes();
    return load_onnx(path, shapes);
  }

 private:
  onnx::ModelProto model_;
  onnx::TensorProto::DataType type_;
};

}  // namespace tileplan
