// SPDX-License-Identifier: Apache-2.0
// This file builds small networks, which together have most of the operators that networks can
// have.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tileplan/graph.h"

namespace tileplan::test {

using Integers = std::vector<std::int64_t>;

/// Adds a constant whose numbers lie between -0.25 and 0.25. Equal shapes get equal numbers.
inline int random_constant(Graph& graph, const std::string& name, const Integers& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  std::vector<float> numbers;
  for (std::int64_t i = 0; i < count; ++i)
    numbers.push_back(static_cast<float>((i * 37 + 11) % 101 - 50) / 200);
  return graph.constant(name, shape, numbers);
}

inline int conv(Graph& graph, int in, const Integers& weights, std::int64_t stride,
                std::int64_t pad) {
  const std::string name = "conv" + std::to_string(graph.nodes.size());
  return graph.node("Conv", {in, random_constant(graph, name + "_w", weights)},
                    {{"strides", Integers{stride, stride}}, {"pads", Integers{pad, pad, pad, pad}}},
                    name);
}

inline Graph residual_block() {
  Graph graph{.name = "block"};
  const int image = graph.input("image", {1, 3, 20, 20});
  int x = conv(graph, image, {32, 3, 3, 3}, 2, 1);
  const int scale = random_constant(graph, "scale", {32}),
            shift = random_constant(graph, "shift", {32}),
            mean = random_constant(graph, "mean", {32});
  const int variance = graph.constant("variance", {32}, std::vector<float>(32, 0.5F));
  x = graph.node("BatchNormalization", {x, scale, shift, mean, variance});
  x = graph.node("Relu", {x});
  const int inner = graph.node("Relu", {conv(graph, x, {32, 32, 3, 3}, 1, 1)});
  x = graph.node("Relu", {graph.node("Add", {conv(graph, inner, {32, 32, 3, 3}, 1, 1), x})});
  x = graph.node("MaxPool", {x}, {{"kernel_shape", Integers{3, 3}}, {"strides", Integers{2, 2}}});
  x = graph.node("Flatten", {graph.node("GlobalAveragePool", {x})});
  const int weights = random_constant(graph, "fc", {10, 32});
  x = graph.node("Gemm", {x, weights, random_constant(graph, "fc bias", {10})},
                 {{"transB", std::int64_t{1}}});
  graph.output(graph.node("Softmax", {x}));
  return graph;
}

/// Returns a network that applies many operators of image networks to the result of one
/// convolution.
inline Graph operator_network(std::int64_t images = 2) {
  Graph graph{.name = "operators"};
  const int image = graph.input("image", {images, 16, 9, 11});
  int x = conv(graph, image, {32, 16, 1, 1}, 1, 0);
  const auto unary = [&](const char* kind, Attributes attributes = {}) {
    graph.output(graph.node(kind, {x}, std::move(attributes)));
  };
  for (const char* kind :
       {"Sigmoid", "HardSigmoid", "HardSwish", "LeakyRelu", "Tanh", "Abs", "Neg"})
    unary(kind);
  unary("LRN", {{"size", std::int64_t{5}}});
  unary("AveragePool", {{"kernel_shape", Integers{3, 3}}, {"pads", Integers{1, 1, 1, 1}}});
  unary("AveragePool", {{"kernel_shape", Integers{2, 3}},
                        {"pads", Integers{1, 1, 0, 1}},
                        {"count_include_pad", std::int64_t{1}},
                        {"strides", Integers{2, 2}},
                        {"ceil_mode", std::int64_t{1}}});
  unary("MaxPool", {{"kernel_shape", Integers{3, 3}}, {"dilations", Integers{2, 2}}});
  unary("Transpose", {{"perm", Integers{0, 2, 3, 1}}});
  unary("Softmax", {{"axis", std::int64_t{1}}});
  unary("ReduceMean", {{"axes", Integers{1}}, {"keepdims", std::int64_t{0}}});
  unary("Pad", {{"pads", Integers{0, 0, 1, 2, 0, 0, 3, 0}}, {"value", 2.0}});
  unary("Slice",
        {{"starts", Integers{16, 1}}, {"ends", Integers{32, -1}}, {"axes", Integers{1, 3}}});
  const int parts = graph.node("Split", {x, graph.constant("sizes", {2}, Integers{16, 16})},
                               {{"axis", std::int64_t{1}}});
  const int gate = graph.node("Sigmoid", {graph.node("GlobalAveragePool", {x})});
  graph.output(graph.node("Mul", {x, gate}));
  graph.output(graph.node("Concat", {parts + 1, x, parts}, {{"axis", std::int64_t{1}}}));
  graph.output(graph.node("Add", {x, random_constant(graph, "row", {1, 1, 9, 1})}));
  graph.output(graph.node("Sub", {graph.node("Relu", {x}), x}));
  const int none = graph.constant("none", {0}, std::vector<float>{});
  const int scales = graph.constant("scales", {4}, std::vector<float>{1, 1, 2, 2});
  graph.output(graph.node("Resize", {x, none, scales},
                          {{"coordinate_transformation_mode", std::string("asymmetric")},
                           {"nearest_mode", std::string("floor")}}));
  return graph;
}

/// Returns a network of convolutions and one product whose activations become epilogues: LeakyRelu,
/// SiLU and HardSwish in two forms each, and a HardSigmoid and a Sigmoid after a residual. The
/// result of the Sigmoid is clipped.
inline Graph activation_network() {
  Graph graph{.name = "activations"};
  int x = graph.input("image", {1, 16, 10, 10});
  const auto layer = [&](std::int64_t taps) {
    return conv(graph, x, {16, 16, taps, taps}, 1, taps / 2);
  };
  x = graph.node("LeakyRelu", {layer(3)}, {{"alpha", 0.1}});
  int sum = layer(3);
  x = graph.node("Mul", {sum, graph.node("Sigmoid", {sum})});
  x = graph.node("Swish", {layer(1)});
  x = graph.node("HardSwish", {layer(3)});
  sum = layer(1);
  x = graph.node("Mul", {graph.node("HardSigmoid", {sum}, {{"alpha", 1.0 / 6}}), sum});
  x = graph.node("HardSigmoid", {graph.node("Add", {layer(3), x})});
  x = graph.node("Sigmoid", {graph.node("Add", {layer(1), x})});
  x = graph.node("Clip", {x}, {{"min", 0.25}, {"max", 0.75}});
  const int weights = random_constant(graph, "classes", {16, 12});
  const int mean = graph.node("Flatten", {graph.node("GlobalAveragePool", {x})});
  graph.output(graph.node("LeakyRelu", {graph.node("MatMul", {mean, weights})}));
  return graph;
}

/// Returns a network of products with different batches, transposes and factors.
inline Graph product_network() {
  Graph graph{.name = "products"};
  const int a = graph.input("a", {2, 4, 6}), b = graph.input("b", {2, 6, 8}),
            c = graph.input("c", {4, 6});
  graph.output(graph.node("MatMul", {a, b}));
  graph.output(graph.node(
      "Gemm", {c, random_constant(graph, "w", {4, 5}), random_constant(graph, "s", {6, 1})},
      {{"transA", std::int64_t{1}}, {"alpha", 0.5}, {"beta", 2.0}}));
  graph.output(graph.node("Gemm", {c, random_constant(graph, "u", {4, 5})},
                          {{"transA", std::int64_t{1}}, {"alpha", 0.5}, {"beta", 2.0}}));
  const int sum = graph.node("MatMul", {a, random_constant(graph, "v", {6, 16})});
  graph.output(
      graph.node("Relu", {graph.node("Add", {sum, random_constant(graph, "bias", {16})})}));
  // Exporters write transB even if it is 0. The scales become part of the weights.
  for (const std::int64_t transposed : {0, 1}) {
    const Extents shape = transposed != 0 ? Extents{5, 6} : Extents{6, 5};
    const std::string name = std::to_string(transposed);
    const int scaled = graph.node("Gemm", {c, random_constant(graph, "t" + name, shape)},
                                  {{"transB", transposed}});
    graph.output(graph.node("Mul", {scaled, random_constant(graph, "scales" + name, {5})}));
  }
  return graph;
}

/// Returns a network of two branches that a Concat joins.
inline Graph branch_network() {
  Graph graph{.name = "branches"};
  const int image = graph.input("image", {1, 16, 8, 8});
  const int one = conv(graph, image, {16, 16, 1, 1}, 1, 0),
            two = conv(graph, image, {16, 16, 3, 3}, 1, 1);
  const int both = graph.node("Concat", {one, two}, {{"axis", std::int64_t{1}}});
  graph.output(conv(graph, both, {16, 32, 1, 1}, 1, 0));
  return graph;
}

/// Returns a network with a channel shuffle between convolutions, and an operator of kind `last`.
inline Graph shuffle_network(const std::string& last) {
  Graph graph{.name = "shuffle"};
  int x = conv(graph, graph.input("image", {1, 16, 9, 7}), {96, 16, 1, 1}, 1, 0);
  x = graph.node("Reshape", {x, graph.constant("split", {5}, Integers{1, 3, 32, 9, 7})});
  x = graph.node("Transpose", {x}, {{"perm", Integers{0, 2, 1, 3, 4}}});
  x = graph.node("Reshape", {x, graph.constant("join", {4}, Integers{1, 96, 9, 7})});
  x = graph.node(last, {conv(graph, x, {32, 96, 1, 1}, 1, 0)});
  graph.output(graph.node("GlobalAveragePool", {x}));
  return graph;
}

}  // namespace tileplan::test
