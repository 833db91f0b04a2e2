// SPDX-License-Identifier: Apache-2.0
// This file turns ONNX models into graphs. Small tensors of integers, such as shapes, are computed
// while nodes are read, because the shapes of later tensors depend on them.
#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <set>

#include "half.h"
#include "onnx_checks.h"
#include "operators.h"
#include "plain_graph.h"
#include "shortened.h"
#include "tileplan/error.h"
#include "tileplan/graph.h"
#include "tileplan/network.h"
#include "words.h"

namespace tileplan {
namespace {

using Type = onnx::TensorProto;

/// Returns the name that GraphValue::type has for a type of ONNX: a short name such as "f32", or
/// else the name that ONNX gives the type.
std::string type_text(int type) {
  if (type == Type::FLOAT) return "f32";
  if (type == Type::DOUBLE) return "f64";
  if (type == Type::INT64) return "i64";
  if (type == Type::UINT8) return "u8";
  if (type == Type::INT8) return "s8";
  if (type == Type::INT32) return "s32";
  return Type::DataType_IsValid(type)
             ? Type::DataType_Name(static_cast<onnx::TensorProto::DataType>(type))
             : "UNDEFINED";
}

/// Returns the numbers in `list` or, if `list` is empty, those in `raw`, which is little-endian.
template <class Stored, class List>
std::vector<Stored> stored_numbers(const List& list, const std::string& raw) {
  if (list.size() > 0) {
    std::vector<Stored> numbers;
    for (const auto number : list) numbers.push_back(static_cast<Stored>(number));
    return numbers;
  }
  std::vector<Stored> numbers(raw.size() / sizeof(Stored));
  if (!numbers.empty()) std::memcpy(numbers.data(), raw.data(), numbers.size() * sizeof(Stored));
  return numbers;
}

template <class Stored>
Extents widened(const std::vector<Stored>& numbers) {
  return {numbers.begin(), numbers.end()};
}

/// Returns the numbers with these bits in f16 or bf16 as f32, which represents all of them exactly.
template <class Half>
std::vector<float> widened_halves(const std::vector<std::uint16_t>& all_bits) {
  std::vector<float> numbers;
  numbers.reserve(all_bits.size());
  for (const std::uint16_t bits : all_bits) {
    Half half;
    half.bits = bits;
    numbers.push_back(half);
  }
  return numbers;
}

/// Returns the numbers of `tensor`. Returns nothing when they are outside the file, or when their
/// type is not one of the cases below.
std::optional<Numbers> numbers_of(const onnx::TensorProto& tensor) {
  if (tensor.data_location() == Type::EXTERNAL) return std::nullopt;
  const std::string& raw = tensor.raw_data();
  switch (tensor.data_type()) {
    case Type::FLOAT:
      return stored_numbers<float>(tensor.float_data(), raw);
    case Type::DOUBLE:
      return stored_numbers<double>(tensor.double_data(), raw);
    case Type::INT64:
      return stored_numbers<std::int64_t>(tensor.int64_data(), raw);
    case Type::INT32:
      return widened(stored_numbers<std::int32_t>(tensor.int32_data(), raw));
    case Type::FLOAT16:
      return widened_halves<F16>(stored_numbers<std::uint16_t>(tensor.int32_data(), raw));
    case Type::BFLOAT16:
      return widened_halves<Bf16>(stored_numbers<std::uint16_t>(tensor.int32_data(), raw));
    case Type::UINT8:
      return stored_numbers<std::uint8_t>(tensor.int32_data(), raw);
    case Type::INT8:
      return stored_numbers<std::int8_t>(tensor.int32_data(), raw);
    case Type::BOOL:
      return widened(stored_numbers<std::int8_t>(tensor.int32_data(), raw));
    default:
      return std::nullopt;
  }
}

/// Builds the graph node by node.
class GraphReader {
 public:
  explicit GraphReader(const OnnxModel& model) : model_(model), proto_(model.proto.graph()) {
    for (const auto& each : model.proto.opset_import())
      if (each.domain().empty() || each.domain() == "ai.onnx") opset_ = each.version();
  }

  Graph graph() {
    graph_.name = printable(proto_.name());
    for (const onnx::TensorProto& tensor : proto_.initializer())
      add_constant(tensor.name(), tensor);
    for (const onnx::SparseTensorProto& tensor : proto_.sparse_initializer())
      graph_.values[value(tensor.values().name())].constant = true;
    for (const onnx::ValueInfoProto& input : proto_.input())
      if (!known_.contains(input.name())) graph_.inputs.push_back(position(input.name()));
    for (const onnx::NodeProto& node : proto_.node()) add_node(node);
    for (const onnx::ValueInfoProto& output : proto_.output()) add_output(output);
    return std::move(graph_);
  }

 private:
  /// Returns the position of the value `name` in the graph. A new value is added with the shape and
  /// type that the onnx library knows, or else with the type "UNDEFINED".
  int position(const std::string& name) {
    const auto [found, is_new] = known_.emplace(name, static_cast<int>(graph_.values.size()));
    if (!is_new) return found->second;
    GraphValue added{.name = printable(name), .type = "UNDEFINED"};
    if (const auto type = model_.types.find(name); type != model_.types.end()) {
      added.shape = extents_of(type->second);
      added.type = type_text(type->second.tensor_type().elem_type());
    }
    graph_.values.push_back(std::move(added));
    return found->second;
  }
  std::size_t value(const std::string& name) { return static_cast<std::size_t>(position(name)); }

  void add_output(const onnx::ValueInfoProto& output) {
    if (!known_.contains(output.name()))
      throw Error("output " + printable(output.name()) + " is not computed; a node must write it");
    graph_.outputs.push_back(position(output.name()));
  }

  void add_constant(const std::string& name, const onnx::TensorProto& tensor) {
    GraphValue& constant = graph_.values[value(name)];
    constant.constant = true;
    constant.type = type_text(tensor.data_type());
    constant.shape = Extents(tensor.dims().begin(), tensor.dims().end());
    const std::int64_t count = count_elements("weights " + constant.name, *constant.shape);
    std::optional<Numbers> numbers = numbers_of(tensor);
    if (!numbers) return;
    const auto found = std::visit([](const auto& list) { return std::ssize(list); }, *numbers);
    if (found != count)
      throw Error("weights " + constant.name + " have " + std::to_string(found) +
                  " numbers; must have " + std::to_string(count) + " for their shape");
    if (std::holds_alternative<Extents>(*numbers)) constant.type = "i64";
    constant.numbers = std::make_shared<const Numbers>(std::move(*numbers));
  }

  void add_node(const onnx::NodeProto& node) {
    if (const onnx::TensorProto* tensor = constant_tensor(node))
      return add_constant(node.output(0), *tensor);
    if (node.op_type() == "Constant") return add_listed_constant(node);
    GraphNode added{.name = printable(name_of(node)), .kind = node.op_type()};
    for (const std::string& input : node.input())
      added.inputs.push_back(input.empty() ? -1 : position(input));
    add_attributes(node, added);
    for (const std::string& output : node.output())
      added.outputs.push_back(output.empty() ? -1 : position(output));
    const bool is_standard = node.domain().empty() || node.domain() == "ai.onnx";
    if (!is_standard)
      added.not_understood = "tileplan knows no operator " + node.domain() + "." + node.op_type();
    else
      infer(added);
    graph_.nodes.push_back(std::move(added));
  }

  static void set_numbers(GraphValue& constant, Numbers numbers, bool is_list) {
    const auto count = std::visit([](const auto& list) { return std::ssize(list); }, numbers);
    constant.type = std::holds_alternative<Extents>(numbers) ? "i64" : "f32";
    constant.shape = is_list ? Extents{count} : Extents{};
    constant.numbers = std::make_shared<const Numbers>(std::move(numbers));
  }

  /// Adds the value of a Constant node without a dense tensor. Its numbers are known if the
  /// attribute is a number or a list of numbers.
  void add_listed_constant(const onnx::NodeProto& node) {
    GraphValue& constant = graph_.values[value(node.output(0))];
    constant.constant = true;
    for (const onnx::AttributeProto& each : node.attribute()) {
      const std::string& name = each.name();
      if (name == "value_float") set_numbers(constant, std::vector<float>{each.f()}, false);
      if (name == "value_int") set_numbers(constant, Extents{each.i()}, false);
      if (name == "value_floats")
        set_numbers(constant, std::vector<float>(each.floats().begin(), each.floats().end()), true);
      if (name == "value_ints")
        set_numbers(constant, Extents(each.ints().begin(), each.ints().end()), true);
    }
  }

  void add_attributes(const onnx::NodeProto& node, GraphNode& added) {
    for (const onnx::AttributeProto& each : node.attribute()) {
      const std::string& name = each.name();
      if (each.type() == onnx::AttributeProto::FLOAT)
        added.attributes[name] = static_cast<double>(each.f());
      if (each.type() == onnx::AttributeProto::INT) added.attributes[name] = each.i();
      if (each.type() == onnx::AttributeProto::STRING) added.attributes[name] = each.s();
      if (each.type() == onnx::AttributeProto::INTS)
        added.attributes[name] = Extents(each.ints().begin(), each.ints().end());
      if (each.type() == onnx::AttributeProto::FLOATS && added.kind == "Upsample" &&
          name == "scales")
        add_scales(each, added);
      if (each.has_t()) add_fill(each.t(), added);
      if (each.has_g()) add_captured(each.g(), added);
    }
    add_old_rules(added);
  }

  /// Adds the scales of an old Upsample, which are an attribute, as its second input.
  void add_scales(const onnx::AttributeProto& scales, GraphNode& added) {
    GraphValue constant{.name = added.name + " scales", .constant = true};
    set_numbers(constant, std::vector<float>(scales.floats().begin(), scales.floats().end()), true);
    graph_.values.push_back(std::move(constant));
    added.inputs.push_back(static_cast<int>(graph_.values.size()) - 1);
  }

  /// Adds the attribute `value`, the number with which ConstantOfShape fills its result. The node
  /// is not understood if the number is unknown or of a type that has no attribute: a bool, a
  /// double or a byte.
  static void add_fill(const onnx::TensorProto& tensor, GraphNode& added) {
    const std::optional<Numbers> numbers = numbers_of(tensor);
    const Numbers* const known = numbers ? &*numbers : nullptr;
    const auto* integers = std::get_if<Extents>(known);
    const auto* reals = std::get_if<std::vector<float>>(known);
    if ((!integers && !reals) || tensor.data_type() == Type::BOOL ||
        tensor.data_type() == Type::DOUBLE) {
      added.not_understood = "a value of " + type_text(tensor.data_type());
      return;
    }
    if (integers && !integers->empty()) added.attributes["value"] = integers->front();
    if (reals && !reals->empty()) added.attributes["value"] = static_cast<double>(reals->front());
  }

  /// Adds the values of this graph that an inner graph reads to the inputs of the node, so that
  /// they are not removed as unused.
  void add_captured(const onnx::GraphProto& inner, GraphNode& added) {
    for (const onnx::NodeProto& node : inner.node()) {
      for (const std::string& input : node.input())
        if (const auto found = known_.find(input); !input.empty() && found != known_.end())
          added.inputs.push_back(found->second);
      for (const onnx::AttributeProto& each : node.attribute())
        if (each.has_g()) add_captured(each.g(), added);
    }
    for (const onnx::ValueInfoProto& output : inner.output())
      if (const auto found = known_.find(output.name()); found != known_.end())
        added.inputs.push_back(found->second);
  }

  /// Adds attributes that express how operations of old operator sets differ from those of current
  /// sets, and the name of the type to which Cast converts, which is "i64" for INT32.
  void add_old_rules(GraphNode& added) const {
    if (added.kind == "Resize") added.attributes["opset"] = opset_;
    if (added.kind == "Softmax" && opset_ < 13) {
      added.attributes["flat"] = std::int64_t{1};
      added.attributes.emplace("axis", std::int64_t{1});
    }
    if (added.kind == "Cast") {
      const auto to = added.attributes.find("to");
      const auto* type =
          to == added.attributes.end() ? nullptr : std::get_if<std::int64_t>(&to->second);
      if (type) added.attributes["type"] = type_text(static_cast<int>(*type));
      if (type && *type == Type::INT32) added.attributes["type"] = "i64";
    }
  }

  /// Sets the shapes and types of the results, or the reason why the node is not understood. Small
  /// tensors of integers are computed at once, because later shapes may depend on them.
  void infer(GraphNode& node) {
    const NodeView view(graph_, node);
    try {
      if (!node.not_understood.empty()) throw NotUnderstood{node.not_understood};
      if (node.outputs.front() < 0) throw NotUnderstood{"its first result has no name"};
      const std::vector<OutputType> types = output_types(view);
      for (std::size_t i = 0; i < node.outputs.size() && i < types.size(); ++i)
        if (node.outputs[i] >= 0) {
          GraphValue& out = graph_.values[static_cast<std::size_t>(node.outputs[i])];
          out.shape = types[i].shape;
          out.type = types[i].type;
        }
      mark_constant(node);
      fold(view);
    } catch (const NotUnderstood& why) {
      node.not_understood = why.reason;
      mark_constant(node);
    }
  }

  void mark_constant(const GraphNode& node) {
    const bool is_constant =
        !node.kind.starts_with("Random") && std::ranges::all_of(node.inputs, [&](int input) {
          return input < 0 || graph_.values[static_cast<std::size_t>(input)].constant;
        });
    for (const int output : node.outputs)
      if (output >= 0) graph_.values[static_cast<std::size_t>(output)].constant = is_constant;
  }

  void fold(const NodeView& view) {
    constexpr std::int64_t kMostNumbers = 1024;
    PlainInputs inputs;
    for (std::size_t i = 0; i < view.inputs(); ++i) {
      inputs.push_back(view.has_input(i) ? view.input(i).numbers.get() : nullptr);
      const bool is_open = view.has_input(i) && !inputs.back();
      if (is_open && view.kind() != "Shape") return;
    }
    for (const int output : view.node().outputs) {
      if (output < 0) return;
      const GraphValue& out = graph_.values[static_cast<std::size_t>(output)];
      if (out.type != "i64" || !out.shape || elements_of(*out.shape) > kMostNumbers) return;
    }
    std::vector<Numbers> results = compute_plain(view, inputs);
    for (std::size_t i = 0; i < results.size(); ++i) {
      GraphValue& out = graph_.values[static_cast<std::size_t>(view.node().outputs[i])];
      out.constant = true;
      out.numbers = std::make_shared<const Numbers>(std::move(results[i]));
    }
  }

  const OnnxModel& model_;
  const onnx::GraphProto& proto_;
  std::int64_t opset_ = 1;
  Graph graph_;
  std::map<std::string, int> known_;
};

}  // namespace

Graph load_onnx(const std::string& path,
                const std::map<std::string, std::vector<std::int64_t>>& shapes) {
  try {
    return GraphReader(load_model(path, shapes)).graph();
  } catch (const Error& error) {
    throw Error(path + ": " + error.what());
  }
}

InputShapes parse_shapes(const std::vector<std::string>& texts) {
  InputShapes shapes;
  for (const std::string& text : texts) {
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0)
      throw Error("--shape: '" + text + "'; must be like input=1x3x224x224");
    const std::string name = text.substr(0, equals);
    if (shapes.contains(name))
      throw Error("--shape: " + in_quotes(name) + " is given twice; must be given once");
    std::vector<std::int64_t>& extents = shapes[name];
    for (std::size_t at = equals + 1; at <= text.size();) {
      const std::size_t end = std::min(text.find('x', at), text.size());
      extents.push_back(number_from(1, "--shape: " + in_quotes(text), text.substr(at, end - at)));
      at = end + 1;
    }
  }
  return shapes;
}

}  // namespace tileplan
