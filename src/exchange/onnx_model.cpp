// SPDX-License-Identifier: Apache-2.0
// This file loads ONNX models and infers the types of their values. It checks each node against the
// shapes of its inputs before the onnx library reads the node.
#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <functional>
#include <set>
#include <system_error>

#include "onnx_checks.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

using Functions = onnx::shape_inference::ModelLocalFunctionsMap;
using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

onnx::ModelProto parse_model(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw Error("cannot be read (" + std::generic_category().message(errno) +
                "); must be an ONNX model");
  onnx::ModelProto model;
  if (!model.ParseFromIstream(&file) || model.graph().node().empty())
    throw Error("not an ONNX model, or cut off");
  return model;
}

std::string shape_text(const onnx::TensorShapeProto& shape) {
  std::string text;
  for (const auto& dim : shape.dim())
    text.append(text.empty() ? "" : "x")
        .append(dim.has_dim_value() ? std::to_string(dim.dim_value()) : "?");
  return text;
}

void close_inputs(onnx::GraphProto& graph, InputShapes shapes) {
  for (onnx::ValueInfoProto& input : *graph.mutable_input()) {
    onnx::TypeProto::Tensor& type = *input.mutable_type()->mutable_tensor_type();
    if (const auto given = shapes.find(input.name()); given != shapes.end()) {
      type.mutable_shape()->clear_dim();
      for (const std::int64_t extent : given->second)
        type.mutable_shape()->add_dim()->set_dim_value(extent);
      shapes.erase(given);
    }
    if (!extents_of(input.type()))
      throw Error("the shape of input " + input.name() + " is " +
                  (type.has_shape() ? shape_text(type.shape()) : "open") +
                  "; say it in numbers with --shape " + input.name() + "=1x3x224x224");
  }
  if (!shapes.empty())
    throw Error("--shape: the model has no input '" + shapes.begin()->first +
                "'; must be one of the inputs of its graph");
}

void for_each_list(Nodes& nodes, const std::function<void(Nodes&)>& visit) {
  visit(nodes);
  for (onnx::NodeProto& node : nodes)
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) for_each_list(*attribute.mutable_g()->mutable_node(), visit);
      for (onnx::GraphProto& graph : *attribute.mutable_graphs())
        for_each_list(*graph.mutable_node(), visit);
    }
}

/// Renames the nodes with a window in the list of a function or an inner graph, because their
/// inputs cannot be checked. The onnx library then skips these nodes.
void hide_windows(Nodes& list) {
  for (onnx::NodeProto& node : list)
    if (has_window(node)) node.set_op_type("Hidden");
}

/// Applies hide_windows() to the functions of `model`, and returns them by their names
/// "domain:name". Functions that call themselves, directly or through others, are left out, because
/// the onnx library replaces calls by the nodes of the functions and would not end. The callers of
/// such functions are left out too.
Functions callable_functions(onnx::ModelProto& model) {
  const auto name_of_call = [](const std::string& domain, const std::string& name) {
    return domain + ":" + name;
  };
  Functions waiting, ready;
  for (onnx::FunctionProto& each : *model.mutable_functions()) {
    for_each_list(*each.mutable_node(), hide_windows);
    waiting[name_of_call(each.domain(), each.name())] = &each;
  }
  const auto calls_waiting = [&](const auto& function) {
    bool found = false;
    Nodes nodes = function.second->node();
    for_each_list(nodes, [&](Nodes& list) {
      for (const onnx::NodeProto& node : list)
        found = found || waiting.contains(name_of_call(node.domain(), node.op_type()));
    });
    return found;
  };
  for (auto next = waiting.begin(); next != waiting.end();) {
    next = std::find_if_not(waiting.begin(), waiting.end(), calls_waiting);
    if (next != waiting.end()) ready.insert(waiting.extract(next));
  }
  return ready;
}

class ShapeInference {
 public:
  explicit ShapeInference(onnx::ModelProto& model)
      : graph_(model.graph()), functions_(callable_functions(model)) {
    for (const auto& each : model.opset_import()) {
      const auto version = static_cast<int>(each.version());
      sets_[each.domain()] = version;
      // The domains "ai.onnx" and "" both name the standard operators.
      if (each.domain() == "ai.onnx") sets_[""] = version;
    }
    for (const onnx::ValueInfoProto& input : graph_.input()) types_[input.name()] = input.type();
    for (const auto* values : {&graph_.value_info(), &graph_.output()})
      for (const onnx::ValueInfoProto& value : *values) declared_[value.name()] = value.type();
    for (const onnx::TensorProto& tensor : graph_.initializer()) add_tensor(tensor.name(), tensor);
  }

  /// Returns the types of the inputs, the weights and the results.
  ValueTypes run() {
    for (const onnx::NodeProto& node : graph_.node()) {
      check_node(node, types_, sets_);
      if (const onnx::TensorProto* tensor = constant_tensor(node))
        add_tensor(node.output(0), *tensor);
      else
        infer(node);
    }
    return std::move(types_);
  }

 private:
  void infer(const onnx::NodeProto& node) {
    onnx::GraphProto alone = graph_of(node);
    try {
      onnx::shape_inference::InferShapes(&alone, sets_, onnx::OpSchemaRegistry::Instance(), {},
                                         functions_);
    } catch (const std::exception& error) {
      refuse(node, std::string("shapes cannot be inferred (") + error.what() + ")");
    }
    for (const onnx::ValueInfoProto& value : alone.value_info())
      add_checked(value.name(), value.type());
  }

  void add_checked(const std::string& name, const onnx::TypeProto& type) {
    check_extents("value " + name, type);
    types_[name] = type;
  }

  void add_tensor(const std::string& name, const onnx::TensorProto& tensor) {
    onnx::TypeProto type;
    type.mutable_tensor_type()->set_elem_type(tensor.data_type());
    type.mutable_tensor_type()->mutable_shape();
    for (const std::int64_t extent : tensor.dims())
      type.mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(extent);
    add_checked(name, type);
    tensors_[name] = &tensor;
  }

  /// Returns a graph that holds only `node`, the values that `node` and its inner graphs read, and
  /// the types of results that the file declares.
  onnx::GraphProto graph_of(const onnx::NodeProto& node) const {
    onnx::GraphProto alone;
    Nodes nodes;
    *nodes.Add() = node;
    std::set<std::string> read;
    for_each_list(nodes, [&](Nodes& list) {
      if (&list != &nodes) hide_windows(list);
      for (const onnx::NodeProto& each : list)
        read.insert(each.input().begin(), each.input().end());
    });
    for (const std::string& value : read) add_value(alone, value);
    alone.add_node()->Swap(&nodes[0]);
    for (const std::string& output : node.output()) {
      const auto declared = declared_.find(output);
      if (declared != declared_.end()) add_type(*alone.add_value_info(), *declared);
    }
    return alone;
  }

  /// Adds a value to `alone` if its type is known. A small constant is added with its numbers,
  /// because it may be a shape.
  void add_value(onnx::GraphProto& alone, const std::string& value) const {
    constexpr std::int64_t kMostNumbers = 1024;
    const auto type = types_.find(value);
    if (type == types_.end()) return;
    add_type(*alone.add_input(), *type);
    const auto tensor = tensors_.find(value);
    if (tensor == tensors_.end()) return;
    std::int64_t numbers = 1;
    for (const std::int64_t extent : tensor->second->dims()) numbers *= extent;
    if (numbers <= kMostNumbers) {
      *alone.add_initializer() = *tensor->second;
      alone.mutable_initializer()->rbegin()->set_name(value);
    }
  }

  static void add_type(onnx::ValueInfoProto& value, const ValueTypes::value_type& type) {
    value.set_name(type.first);
    *value.mutable_type() = type.second;
  }

  const onnx::GraphProto& graph_;
  Functions functions_;
  OperatorSets sets_;
  ValueTypes types_;
  ValueTypes declared_;  ///< Holds the types of results that the file declares.
  /// Holds the weights and constants by name.
  std::map<std::string, const onnx::TensorProto*> tensors_;
};

}  // namespace

OnnxModel load_model(const std::string& path, const InputShapes& shapes) {
  onnx::ModelProto model = parse_model(path);
  close_inputs(*model.mutable_graph(), shapes);
  check_graph(model.graph());
  // The shapes that the exporter inferred are removed, because `shapes` can change them.
  if (!shapes.empty()) {
    model.mutable_graph()->clear_value_info();
    for (onnx::ValueInfoProto& output : *model.mutable_graph()->mutable_output())
      output.mutable_type()->mutable_tensor_type()->clear_shape();
  }
  ValueTypes types = ShapeInference(model).run();
  return {.proto = std::move(model), .types = std::move(types)};
}

}  // namespace tileplan
