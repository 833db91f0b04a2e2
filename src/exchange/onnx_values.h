// SPDX-License-Identifier: Apache-2.0
// An ONNX graph with every shape that is known.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "onnx_graph.h"

namespace tileplan {

using Shape = std::vector<std::int64_t>;

/// The model in the file `path`, its inputs shaped as `shapes` say and all shapes inferred. Throws
/// as read_onnx.
onnx::ModelProto inferred_model(const std::string& path, const InputShapes& shapes);

/// What is known of the values of a graph. Refers to the graph.
class OnnxValues {
 public:
  explicit OnnxValues(const onnx::GraphProto& graph);

  /// Nothing when a size is open.
  std::optional<Shape> shape(const std::string& value) const;
  bool is_constant(const std::string& value) const { return constants_.contains(value); }
  /// As onnx::TensorProto::DataType; UNDEFINED where it is not said.
  int element_type(const std::string& value) const;
  /// The one number of a constant scalar of FLOAT or DOUBLE.
  std::optional<double> scalar(const std::string& value) const;
  /// Positions of the nodes that read `value`; the outputs of the graph count as one more reader.
  const std::vector<int>& readers(const std::string& value) const;
  /// Position of the node that computes `value`; -1 for inputs and constants.
  int producer(const std::string& value) const;

 private:
  void add_shape(const onnx::ValueInfoProto& value);
  void add_constant(const std::string& name, const onnx::TensorProto& tensor);

  std::map<std::string, Shape> shapes_;
  std::map<std::string, int> types_;
  std::map<std::string, const onnx::TensorProto*> constants_;
  std::map<std::string, std::vector<int>> readers_;
  std::map<std::string, int> producers_;
};

/// The attributes of `node` by name, or what holds without them.
std::int64_t integer_of(const onnx::NodeProto& node, const char* name, std::int64_t otherwise);
float real_of(const onnx::NodeProto& node, const char* name, float otherwise);
std::vector<std::int64_t> integers_of(const onnx::NodeProto& node, const char* name,
                                      std::vector<std::int64_t> otherwise);
std::string text_of(const onnx::NodeProto& node, const char* name, const char* otherwise);

}  // namespace tileplan
