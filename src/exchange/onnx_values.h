// SPDX-License-Identifier: Apache-2.0
// An ONNX graph with every shape that is known.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "onnx_shapes.h"

namespace tileplan {

/// Holds the type of each value whose type is known, by name.
using ValueTypes = std::map<std::string, onnx::TypeProto>;

struct OnnxModel {
  onnx::ModelProto proto;
  ValueTypes types;  ///< of inputs, weights and results, as far as they are known
};

/// Returns the model in the file `path`, its inputs shaped as `shapes` say, with every type that
/// the onnx library can infer. Throws Error as read_onnx does, without the file's name.
OnnxModel load_model(const std::string& path, const InputShapes& shapes);

/// Returns nothing when a size is open.
std::optional<Shape> extents_of(const onnx::TypeProto& type);

/// Looks up the values of a graph by name. Refers to the graph and the types.
class OnnxValues {
 public:
  OnnxValues(const onnx::GraphProto& graph, const ValueTypes& types);

  /// Returns nothing when a size is open.
  std::optional<Shape> shape(const std::string& value) const;
  bool is_constant(const std::string& value) const { return constants_.contains(value); }
  /// Returns an onnx::TensorProto::DataType, UNDEFINED where the type is not known.
  int element_type(const std::string& value) const;
  /// Returns the number of a constant of FLOAT or DOUBLE that has one.
  std::optional<double> scalar(const std::string& value) const;
  /// Returns the positions of the nodes that read `value`. An output of the graph has one reader
  /// more, whose position is beyond all nodes.
  const std::vector<int>& readers(const std::string& value) const;
  /// Returns the position of the node that computes `value`, -1 for inputs and constants.
  int producer(const std::string& value) const;

 private:
  const ValueTypes& types_;
  std::map<std::string, const onnx::TensorProto*> constants_;
  std::map<std::string, std::vector<int>> readers_;
  std::map<std::string, int> producers_;
};

/// Returns the tensor that a Constant node of the usual form holds, else null.
const onnx::TensorProto* constant_tensor(const onnx::NodeProto& node);

/// Returns the attribute of `node` called `name`, or null.
const onnx::AttributeProto* find_attribute(const onnx::NodeProto& node, const char* name);

/// Return the value of an attribute, or `otherwise` where `node` has none.
std::int64_t integer_of(const onnx::NodeProto& node, const char* name, std::int64_t otherwise);
float real_of(const onnx::NodeProto& node, const char* name, float otherwise);
Shape integers_of(const onnx::NodeProto& node, const char* name, Shape otherwise);
std::string text_of(const onnx::NodeProto& node, const char* name, const char* otherwise);

}  // namespace tileplan
