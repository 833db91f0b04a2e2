// SPDX-License-Identifier: Apache-2.0
// This file builds graphs node by node. Shapes are inferred as nodes are added.
#include "tileplan/graph.h"

#include <algorithm>
#include <map>

#include "operators.h"

namespace tileplan {
namespace {

std::string type_name(const Numbers& numbers) {
  if (std::holds_alternative<std::vector<float>>(numbers)) return "f32";
  if (std::holds_alternative<std::vector<std::uint8_t>>(numbers)) return "u8";
  if (std::holds_alternative<std::vector<std::int8_t>>(numbers)) return "s8";
  if (std::holds_alternative<std::vector<std::int32_t>>(numbers)) return "s32";
  return std::holds_alternative<std::vector<double>>(numbers) ? "f64" : "i64";
}

/// Limits the results of a Split whose sizes are not given.
constexpr std::int64_t kMostParts = 1 << 16;

int added(Graph& graph, GraphValue value) {
  graph.values.push_back(std::move(value));
  return static_cast<int>(graph.values.size()) - 1;
}

/// Gives a Cast that lacks the attribute `type` this attribute, the name of the type whose number
/// in ONNX is the attribute `to`. Signed integers of 32 bits are read as i64. Throws NotUnderstood
/// for types other than these and f32, f64, i64, u8 and s8.
void name_type(GraphNode& node, const NodeView& view) {
  if (node.kind != "Cast" || view.has("type")) return;
  static const std::map<std::int64_t, const char*> types{{1, "f32"}, {2, "u8"},  {3, "s8"},
                                                         {6, "i64"}, {7, "i64"}, {11, "f64"}};
  const std::int64_t to = view.integer("to", 0);
  const auto found = types.find(to);
  if (found == types.end()) throw NotUnderstood{"Cast to the type " + std::to_string(to)};
  node.attributes["type"] = std::string(found->second);
}

/// Returns the number of results of a Split, which its sizes or its attribute num_outputs tell.
std::size_t parts_of_split(const NodeView& node) {
  if (const auto sizes = node.integers_at(1, "split")) return sizes->size();
  const std::int64_t parts = node.integer("num_outputs", 0);
  node.require(parts >= 1 && parts <= kMostParts,
               "num_outputs is " + std::to_string(parts) + "; must be from 1 to " +
                   std::to_string(kMostParts) + " in a Split without sizes");
  return static_cast<std::size_t>(parts);
}

void require_value(const Graph& graph, const std::string& reader, int value, int least) {
  if (value >= 0 && graph.values.empty())
    throw Error(reader + " reads a value of a graph that has none");
  if (value < least || value >= static_cast<int>(graph.values.size()))
    throw Error(reader + " reads value " + std::to_string(value) + "; must be from " +
                std::to_string(least) + " to " + std::to_string(graph.values.size() - 1));
}

}  // namespace

int Graph::input(const std::string& input_name, std::vector<std::int64_t> shape,
                 const std::string& type) {
  if (type != "f32" && type != "u8" && type != "s8" && type != "s32")
    throw Error("input " + input_name + " is " + type + "; must be f32, u8, s8 or s32");
  if (count_elements("input " + input_name, shape) < 1)
    throw Error("input " + input_name + " is " + shape_text(shape) + "; must have elements");
  inputs.push_back(added(*this, {.name = input_name, .shape = std::move(shape), .type = type}));
  return inputs.back();
}

int Graph::constant(const std::string& constant_name, std::vector<std::int64_t> shape,
                    Numbers numbers) {
  const auto count = std::visit([](const auto& list) { return std::ssize(list); }, numbers);
  if (const std::int64_t needed = count_elements("constant " + constant_name, shape);
      count != needed)
    throw Error("constant " + constant_name + " has " + std::to_string(count) +
                " numbers; must have " + std::to_string(needed) + " for its shape");
  const std::string type = type_name(numbers);
  return added(*this, {.name = constant_name,
                       .shape = std::move(shape),
                       .type = type,
                       .constant = true,
                       .numbers = std::make_shared<const Numbers>(std::move(numbers))});
}

int Graph::node(const std::string& kind, std::vector<int> node_inputs, Attributes attributes,
                const std::string& node_name) {
  GraphNode built{.name = node_name.empty() ? kind + std::to_string(nodes.size()) : node_name,
                  .kind = kind,
                  .inputs = std::move(node_inputs),
                  .attributes = std::move(attributes)};
  require_known_attributes(NodeView(*this, built));
  return add_node(*this, std::move(built));
}

int add_node(Graph& graph, GraphNode node) {
  for (const int value : node.inputs) require_value(graph, "node " + node.name, value, -1);
  const NodeView view(graph, node);
  try {
    name_type(node, view);
    if (node.kind == "Split") node.outputs.resize(parts_of_split(view));
    const std::vector<OutputType> types = output_types(view);
    node.outputs.clear();
    for (const OutputType& type : types) {
      std::string result = node.name;
      if (!node.outputs.empty()) result.append(".").append(std::to_string(node.outputs.size()));
      node.outputs.push_back(
          added(graph, {.name = std::move(result), .shape = type.shape, .type = type.type}));
    }
  } catch (const NotUnderstood& why) {
    view.refuse(why.reason + "; it must be understood");
  }
  graph.nodes.push_back(std::move(node));
  return graph.nodes.back().outputs.front();
}

void Graph::output(int value) {
  require_value(*this, "an output", value, 0);
  outputs.push_back(value);
}

}  // namespace tileplan
