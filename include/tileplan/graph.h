// SPDX-License-Identifier: Apache-2.0
// A graph lists the operators of a network. It is read from an ONNX model or built node by node.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Holds the numbers of a constant, row-major. The types are those that GraphValue::type names, but
/// numbers of FLOAT16 and BFLOAT16 are f32.
using Numbers =
    std::variant<std::vector<float>, std::vector<double>, std::vector<std::int64_t>,
                 std::vector<std::uint8_t>, std::vector<std::int8_t>, std::vector<std::int32_t>>;

/// Describes a tensor that nodes read or write.
struct GraphValue {
  std::string name = {};
  /// Holds the extents, or nothing when they are unknown.
  std::optional<std::vector<std::int64_t>> shape = {};
  /// Names the element type: "f32", "f64", "i64", "u8", "s8", "s32" or the name of another type in
  /// ONNX, such as "FLOAT16". load_onnx() reads constants of s32 and BOOL as i64.
  std::string type = "f32";
  /// If true, the tensor has equal numbers in each run of the network.
  bool constant = false;
  /// Holds the numbers of a constant. It is null for other tensors, and for constants that are
  /// sparse, stored outside the file, computed later, packed (load_network()), or of a type that
  /// load_onnx() does not read, such as UINT16.
  std::shared_ptr<const Numbers> numbers = {};
};

/// Holds the value of an attribute of a node.
using Attribute = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>>;
using Attributes = std::map<std::string, Attribute>;

/// Describes one operator. Its inputs and outputs are positions in Graph::values.
struct GraphNode {
  std::string name = {};
  std::string kind = {};          ///< Names an operator of ONNX, or one of rewritten graphs.
  std::vector<int> inputs = {};   ///< Lists the inputs; -1 stands for an omitted input.
  std::vector<int> outputs = {};  ///< Lists the outputs; -1 stands for an omitted output.
  Attributes attributes = {};     ///< Holds attributes of ONNX and of tileplan, such as "opset".
  /// Gives the reason why the node cannot be run, or is empty.
  std::string not_understood = {};
};

/// Holds a network as a list of nodes. Each node follows the nodes whose results it reads.
/// Functions that add values return the position of the first one. All functions throw Error with
/// the name and the rule when shapes, attributes or positions do not fit.
///
/// This example makes a graph of a convolution of 3 channels and a ReLU:
///     Graph graph;
///     const int image = graph.input("image", {1, 3, 224, 224});
///     const std::vector<float> numbers(9408);
///     const int weights = graph.constant("weights", {64, 3, 7, 7}, numbers);
///     const std::vector<std::int64_t> pads{3, 3, 3, 3};
///     const int sums = graph.node("Conv", {image, weights}, {{"pads", pads}});
///     graph.output(graph.node("Relu", {sums}));
struct Graph {
  std::string name = {};
  std::vector<GraphValue> values = {};
  std::vector<GraphNode> nodes = {};
  std::vector<int> inputs = {}, outputs = {};

  /// Adds a tensor of f32, u8, s8 or s32 that each run of the network is given.
  int input(const std::string& input_name, std::vector<std::int64_t> shape,
            const std::string& type = "f32");
  /// Adds a constant. Requires as many numbers as the product of its extents.
  int constant(const std::string& constant_name, std::vector<std::int64_t> shape, Numbers numbers);
  /// Adds a node and returns its first output. Further outputs follow the first one in `values`.
  /// Without `node_name`, the node gets its kind and its number as a name.
  int node(const std::string& kind, std::vector<int> node_inputs, Attributes attributes = {},
           const std::string& node_name = "");
  /// Makes `value` an output of the network.
  void output(int value);
};

/// Returns the graph of the ONNX model in the file `path`. `shapes` maps names of inputs to shapes,
/// which replace those in the file. Nodes that are not understood are kept, with the reason. Throws
/// Error with the file and the rule when the model or a name in `shapes` is invalid, or when the
/// shape of an input stays unknown.
Graph load_onnx(const std::string& path,
                const std::map<std::string, std::vector<std::int64_t>>& shapes = {});

}  // namespace tileplan
