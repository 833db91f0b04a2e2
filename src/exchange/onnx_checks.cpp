// SPDX-License-Identifier: Apache-2.0
// This file checks nodes and graphs. Error messages name the node or the value, and what is wrong.
#include "onnx_checks.h"

#include <onnx/defs/schema.h>

#include <set>

#include "node_view.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

/// Returns the position of the weights among the inputs of an operation with a window (0 for
/// pools), or nothing for other operations.
std::optional<int> weights_input(const std::string& operation) {
  static const std::map<std::string, int> positions{
      {"Conv", 1},        {"ConvTranspose", 1}, {"ConvInteger", 1}, {"QLinearConv", 3},
      {"AveragePool", 0}, {"LpPool", 0},        {"MaxPool", 0},     {"MaxUnpool", 0}};
  const auto found = positions.find(operation);
  return found == positions.end() ? std::nullopt : std::optional(found->second);
}

std::optional<int> rank_of(const ValueTypes& types, const std::string& value) {
  const auto found = types.find(value);
  if (found == types.end() || !found->second.tensor_type().has_shape()) return std::nullopt;
  return found->second.tensor_type().shape().dim_size();
}

/// Throws Error when `node` has the attribute `name`, but not with `count` numbers from `least` to
/// 2147483647.
void check_numbers(const onnx::NodeProto& node, const char* name, int count, std::int64_t least) {
  const onnx::AttributeProto* numbers = find_attribute(node, name);
  if (!numbers) return;
  if (numbers->ints_size() != count)
    refuse(node, std::string(name) + " has " + std::to_string(numbers->ints_size()) +
                     " numbers; must have " + std::to_string(count));
  for (const std::int64_t number : numbers->ints())
    if (number < least || number > kMostExtent)
      refuse(node, std::string(name) + " has " + std::to_string(number) + "; must be from " +
                       std::to_string(least) + " to 2147483647");
}

/// Throws Error when a convolution has the attribute kernel_shape and weights of other extents.
/// Requires that kernel_shape has one number per spatial axis of the weights.
void check_kernel_shape(const onnx::NodeProto& node, const onnx::TypeProto& weights) {
  const std::string& kind = node.op_type();
  const onnx::AttributeProto* numbers = find_attribute(node, "kernel_shape");
  const std::optional<Shape> extents = extents_of(weights);
  const bool is_convolution = kind == "Conv" || kind == "ConvInteger" || kind == "QLinearConv";
  if (!is_convolution || !numbers || !extents) return;
  const Shape given(numbers->ints().begin(), numbers->ints().end());
  const Shape window(extents->begin() + 2, extents->end());
  if (given != window)
    refuse(node, "kernel_shape is " + shape_text(given) + "; must be " + shape_text(window) +
                     " like the weights");
}

void check_window(const onnx::NodeProto& node, const ValueTypes& types) {
  const int weights = weights_input(node.op_type()).value_or(0);
  if (node.input_size() <= weights) refuse(node, node.op_type() + " has too few inputs");
  const std::optional<int> rank = rank_of(types, node.input(0));
  // The onnx library infers nothing for an input of unknown rank, so it needs no check.
  if (!rank) return;
  if (*rank < 3)
    refuse(node, "the input has " + std::to_string(*rank) + " dimensions; must have at least 3");
  const std::optional<int> weights_rank = rank_of(types, node.input(weights));
  if (weights_rank && *weights_rank != *rank)
    refuse(node, "the weights have " + std::to_string(*weights_rank) + " dimensions; must have " +
                     std::to_string(*rank) + " like the input");
  for (const char* name : {"kernel_shape", "strides", "dilations"})
    check_numbers(node, name, *rank - 2, 1);
  check_numbers(node, "pads", 2 * (*rank - 2), -kMostExtent);
  if (weights_rank) check_kernel_shape(node, types.at(node.input(weights)));
}

std::optional<int> known_version(const onnx::NodeProto& node, const OperatorSets& sets) {
  const auto imported = sets.find(node.domain());
  const auto& known = onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map();
  const auto range = known.find(node.domain());
  if (imported == sets.end() || range == known.end()) return std::nullopt;
  if (imported->second > range->second.second) return std::nullopt;
  return imported->second;
}

void check_against_schema(const onnx::NodeProto& node, const OperatorSets& sets) {
  const std::optional<int> version = known_version(node, sets);
  if (!version) return;
  const onnx::OpSchema* schema =
      onnx::OpSchemaRegistry::Schema(node.op_type(), *version, node.domain());
  if (!schema) return;
  try {
    schema->Verify(node);
  } catch (const std::exception& error) {
    refuse(node, error.what());
  }
}

/// Throws Error when `node` reads a value that is not in `written`, writes a value again, or has no
/// output. Adds the outputs to `written`.
void check_values(const onnx::NodeProto& node, std::set<std::string>& written) {
  if (node.output().empty()) refuse(node, "has no output; must have at least one");
  for (const std::string& input : node.input())
    if (!written.contains(input))
      refuse(node, "reads " + input + ", which no earlier node computes; graphs must be sorted " +
                       "and without cycles");
  for (const std::string& output : node.output())
    if (!output.empty() && !written.insert(output).second)
      refuse(node, "writes " + output + " again; each value must be written once");
}

}  // namespace

std::string name_of(const onnx::NodeProto& node) {
  if (!node.name().empty()) return node.name();
  return node.output().empty() ? node.op_type() : node.output(0);
}

void refuse(const onnx::NodeProto& node, const std::string& problem) {
  throw Error("node " + name_of(node) + ": " + problem);
}

bool has_window(const onnx::NodeProto& node) {
  const bool is_standard = node.domain().empty() || node.domain() == "ai.onnx";
  return is_standard && weights_input(node.op_type()).has_value();
}

void check_extents(const std::string& owner, const onnx::TypeProto& type) {
  Shape extents;
  for (const auto& dim : type.tensor_type().shape().dim())
    // Extents below 1 are not checked, because some exporters write -1 for an unknown extent.
    if (dim.dim_value() > 0) extents.push_back(dim.dim_value());
  count_elements(owner, extents);
}

void check_graph(const onnx::GraphProto& graph) {
  std::set<std::string> written{""};  // An empty name stands for an omitted input and may be read.
  for (const auto* values : {&graph.input(), &graph.value_info(), &graph.output()})
    for (const onnx::ValueInfoProto& value : *values)
      check_extents("value " + value.name(), value.type());
  for (const onnx::ValueInfoProto& input : graph.input()) written.insert(input.name());
  for (const onnx::SparseTensorProto& tensor : graph.sparse_initializer())
    written.insert(tensor.values().name());
  for (const onnx::TensorProto& tensor : graph.initializer()) {
    count_elements("weights " + tensor.name(), Shape{tensor.dims().begin(), tensor.dims().end()});
    written.insert(tensor.name());
  }
  for (const onnx::NodeProto& node : graph.node()) check_values(node, written);
}

void check_node(const onnx::NodeProto& node, const ValueTypes& types, const OperatorSets& sets) {
  check_against_schema(node, sets);
  if (has_window(node)) check_window(node, types);
}

}  // namespace tileplan
