// SPDX-License-Identifier: Apache-2.0
// Looks up the shapes, constants and readers of the values of an ONNX graph.
#pragma once

#include <onnx/onnx_pb.h>

#include <optional>
#include <set>

#include "onnx_shapes.h"

namespace tileplan {

/// Holds the type of each value whose type is known, by name.
using ValueTypes = std::map<std::string, onnx::TypeProto>;

struct OnnxModel {
  onnx::ModelProto proto;
  ValueTypes types;  ///< It has the inputs, the weights and every result whose type is known.
};

/// Returns the model in the file `path`, its inputs shaped as `shapes` say, with every type that
/// the onnx library can infer. Throws Error as read_onnx does, without the file's name.
OnnxModel load_model(const std::string& path, const InputShapes& shapes);

/// Returns the extents of a tensor, or nothing when one is open or below 1.
std::optional<Shape> extents_of(const onnx::TypeProto& type);

/// Looks up the values of a graph by name. The graph and the types must outlive it.
class OnnxValues {
 public:
  OnnxValues(const onnx::GraphProto& graph, const ValueTypes& types);

  /// Returns nothing when the value is unknown or an extent is open.
  std::optional<Shape> shape(const std::string& value) const;
  /// Returns true for weights and for results that depend on nothing but constants.
  bool is_constant(const std::string& value) const { return constant_values_.contains(value); }
  /// Returns true when `node` depends on nothing but constants, so that it can run beforehand.
  bool is_computed_constant(const onnx::NodeProto& node) const;
  /// Returns an onnx::TensorProto::DataType, which is UNDEFINED when the type is not known.
  int element_type(const std::string& value) const;
  /// Returns the number of a FLOAT or DOUBLE constant of one element, or nothing.
  std::optional<double> scalar(const std::string& value) const;
  /// Returns the positions of the nodes that read `value`. An output of the graph has one reader
  /// more, whose position is beyond all nodes.
  std::vector<int> readers(const std::string& value) const;
  /// Returns the position of the node that computes `value`, -1 for inputs and constants.
  int producer(const std::string& value) const;

 private:
  const ValueTypes& types_;
  std::map<std::string, const onnx::TensorProto*> constants_;
  std::set<std::string> constant_values_;
  std::map<std::string, std::vector<int>> readers_;
  std::map<std::string, int> producers_;
};

/// Returns the tensor of a Constant node with an attribute `value`, or null.
const onnx::TensorProto* constant_tensor(const onnx::NodeProto& node);

/// Returns the attribute of `node` called `name`, or null.
const onnx::AttributeProto* find_attribute(const onnx::NodeProto& node, const char* name);

/// Return the value of an attribute, or `otherwise` where `node` has none.
std::int64_t integer_of(const onnx::NodeProto& node, const char* name, std::int64_t otherwise);
float real_of(const onnx::NodeProto& node, const char* name, float otherwise);
Shape integers_of(const onnx::NodeProto& node, const char* name, Shape otherwise);

}  // namespace tileplan
