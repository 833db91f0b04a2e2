// SPDX-License-Identifier: Apache-2.0
// This test runs networks of quantised layers, and compares them with numbers computed by hand and
// with plain loops.
#include <doctest/doctest.h>

#include "error_of.h"
#include "plain_graph.h"
#include "rewrite.h"
#include "tileplan/error.h"
#include "tileplan/network_run.h"

using namespace tileplan;

namespace {

using Integers = std::vector<std::int64_t>;
using Bytes = std::vector<std::uint8_t>;
using SignedBytes = std::vector<std::int8_t>;

std::size_t count_of(const Integers& shape) {
  std::size_t count = 1;
  for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
  return count;
}

/// Returns random numbers over the range of Number, including the smallest and the largest.
template <class Number>
std::vector<Number> bytes_for(const Integers& shape, std::uint32_t seed) {
  std::vector<Number> numbers(count_of(shape));
  for (Number& each : numbers) {
    seed = seed * 1664525 + 1013904223;
    each = static_cast<Number>(seed >> 24);
    if ((seed >> 16) % 8 == 0) each = std::numeric_limits<Number>::max();
    if ((seed >> 16) % 8 == 1) each = std::numeric_limits<Number>::min();
  }
  return numbers;
}

int scalar(Graph& graph, float value) {
  return graph.constant("scale", {}, std::vector<float>{value});
}
template <class Number>
int point(Graph& graph, Number value) {
  return graph.constant("point", {}, std::vector<Number>{value});
}
int list(Graph& graph, std::vector<float> numbers) {
  const auto count = static_cast<std::int64_t>(numbers.size());
  return graph.constant("list", {count}, std::move(numbers));
}

/// Plans and compiles the graph, and checks that all steps and outputs are exact for two random
/// inputs. Returns the plan.
NetworkPlan checked(const Graph& graph) {
  NetworkPlan plan = plan_network(graph, detect_machine(), {.plan = {.top = 1}});
  for (const std::uint64_t seed : {1, 2}) {
    const NetworkCheck check = check_network(compile(plan), seed);
    for (const auto* each_list : {&check.steps, &check.outputs})
      for (const StepCheck& each : *each_list) {
        CAPTURE(each.name);
        CAPTURE(each.kind);
        CHECK_MESSAGE(each.check.passed(), each.check.got, " instead of ", each.check.expected);
        CHECK(each.check.largest_error == 0);
      }
  }
  return plan;
}

template <class Number>
std::vector<Number> run_on(const Graph& graph, const Bytes& input, std::size_t count) {
  const CompiledNetwork network = compile(plan_network(graph, detect_machine()));
  Workspace workspace = network.make_workspace();
  std::vector<Number> output(count);
  const std::vector<ConstElements> inputs{input};
  const std::vector<Elements> outputs{output};
  network.run(inputs, outputs, workspace);
  return output;
}

/// Adds a DequantizeLinear for each of the input, the weights and the bias, a Conv, a Relu if
/// `has_relu`, and a QuantizeLinear. The weights have a scale for each output channel.
int add_qdq_conv(Graph& graph, int bytes, bool has_relu) {
  const int x = graph.node("DequantizeLinear",
                           {bytes, scalar(graph, 0.02F), point<std::uint8_t>(graph, 120)});
  const int w_bytes = graph.constant("w", {16, 8, 3, 3}, bytes_for<std::int8_t>({16, 8, 3, 3}, 5));
  std::vector<float> scales, of_bias;
  std::vector<std::int64_t> bias;
  for (int k = 0; k < 16; ++k) {
    scales.push_back(0.001F * static_cast<float>(k + 1));
    of_bias.push_back(0.02F * scales.back());
    bias.push_back(100 * k - 700);
  }
  const int zeros = graph.constant("zeros", {16}, SignedBytes(16));
  const int w = graph.node("DequantizeLinear", {w_bytes, list(graph, scales), zeros},
                           {{"axis", std::int64_t{0}}});
  const int b =
      graph.node("DequantizeLinear", {graph.constant("b", {16}, bias), list(graph, of_bias)},
                 {{"axis", std::int64_t{0}}});
  int y = graph.node("Conv", {x, w, b}, {{"pads", Integers{1, 1, 1, 1}}});
  if (has_relu) y = graph.node("Relu", {y});
  return graph.node("QuantizeLinear", {y, scalar(graph, 0.07F), point<std::uint8_t>(graph, 13)});
}

}  // namespace

TEST_CASE("quantised networks: a product made by hand") {
  Graph graph;
  const int a = graph.input("a", {1, 2}, "u8");
  const int b = graph.constant("b", {2, 2}, SignedBytes{1, -2, 3, 4});
  graph.output(graph.node("QLinearMatMul", {a, scalar(graph, 0.5F), point<std::uint8_t>(graph, 10),
                                            b, scalar(graph, 2), point<std::int8_t>(graph, 1),
                                            scalar(graph, 4), point<std::uint8_t>(graph, 100)}));
  // The sums are 5 * 0 + 20 * 2 = 40 and 5 * -3 + 20 * 3 = 45. The scale is 1 / 4, and 11.25 is
  // rounded.
  CHECK(run_on<std::uint8_t>(graph, {15, 30}, 2) == Bytes{110, 111});
  Graph sums;
  const int x = sums.input("x", {1, 2}, "u8");
  sums.output(
      sums.node("MatMulInteger", {x, sums.constant("b", {2, 2}, SignedBytes{1, -2, 3, 4}),
                                  point<std::uint8_t>(sums, 10), point<std::int8_t>(sums, 1)}));
  CHECK(run_on<std::int32_t>(sums, {15, 30}, 2) == std::vector<std::int32_t>{40, 45});
}

TEST_CASE("quantised networks: convolutions with zero points equal plain loops in every output") {
  for (const std::int64_t groups : {1, 2}) {
    Graph graph{.name = "layers"};
    const int x = graph.input("x", {1, 32, 9, 7}, "u8");
    const Integers shape{32, 32 / groups, 3, 3};
    const auto points = bytes_for<std::uint8_t>({32}, 9);
    const int y = graph.node(
        "QLinearConv",
        {x, scalar(graph, 0.1F), point<std::uint8_t>(graph, 128),
         graph.constant("w", shape, bytes_for<std::uint8_t>(shape, 3)), scalar(graph, 0.002F),
         graph.constant("zeros", {32}, points), scalar(graph, 0.5F), point<std::int8_t>(graph, -3),
         graph.constant("b", {32}, Integers(32, 1000))},
        {{"pads", Integers{1, 1, 1, 1}}, {"group", groups}});
    const Integers next{8, 32, 1, 1};
    const int z =
        graph.node("ConvInteger", {y, graph.constant("w2", next, bytes_for<std::int8_t>(next, 4)),
                                   point<std::int8_t>(graph, -3)});
    graph.output(graph.node("Reshape", {z, graph.constant("shape", {2}, Integers{8, 63})}));
    const NetworkPlan plan = checked(graph);
    CHECK(plan.layers.size() == 2);
    CHECK(to_string(plan.layers[0].plan.options.epilogue) ==
          "input-zero,weights-zero=channel,bias,scale,output-zero");
  }
}

TEST_CASE("quantised networks: layers between DequantizeLinear and QuantizeLinear are fused") {
  for (const bool has_relu : {false, true}) {
    Graph graph{.name = "qdq"};
    const int x = graph.input("x", {1, 8, 6, 5}, "u8");
    const int y = add_qdq_conv(graph, x, has_relu);
    graph.output(
        graph.node("DequantizeLinear", {y, scalar(graph, 0.07F), point<std::uint8_t>(graph, 13)}));
    const Graph fused = rewritten(graph);
    REQUIRE(fused.nodes.size() == 2);
    CHECK(fused.nodes[0].kind == "QLinearConv");
    const std::vector<Numbers> input{bytes_for<std::uint8_t>({1, 8, 6, 5}, 11)};
    const auto given = run_plain(graph, input), made = run_plain(fused, input);
    const auto result = [](const Graph& of, const auto& numbers) {
      return std::get<std::vector<float>>(*numbers[static_cast<std::size_t>(of.outputs[0])]);
    };
    const std::vector<float> before = result(graph, given), after = result(fused, made);
    std::size_t different = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
      // A sum that is rounded differently in f32 may change the result by one unit of the scale.
      CHECK(std::abs(before[i] - after[i]) < 0.071);
      different += before[i] == after[i] ? 0 : 1;
    }
    CHECK(different < before.size() / 100);
    const NetworkPlan plan = checked(graph);
    CHECK(to_string(plan.layers[0].plan.options.epilogue) ==
          (has_relu ? "input-zero,bias,scale=channel,relu,output-zero"
                    : "input-zero,bias,scale=channel,output-zero"));
  }
}

TEST_CASE("quantised networks: a Gemm with transposed weights becomes a quantised product") {
  Graph graph{.name = "gemm"};
  const int bytes = graph.input("x", {3, 20}, "s8");
  const int x =
      graph.node("DequantizeLinear", {bytes, scalar(graph, 0.1F), point<std::int8_t>(graph, -5)});
  const int w = graph.node("DequantizeLinear",
                           {graph.constant("w", {24, 20}, bytes_for<std::int8_t>({24, 20}, 7)),
                            scalar(graph, 0.01F), point<std::int8_t>(graph, 0)});
  const int y = graph.node("Gemm", {x, w}, {{"transB", std::int64_t{1}}});
  graph.output(
      graph.node("QuantizeLinear", {y, scalar(graph, 0.2F), point<std::int8_t>(graph, 4)}));
  REQUIRE(rewritten(graph).nodes.size() == 1);
  checked(graph);
}

TEST_CASE("quantised networks: integers of 32 bits are no quantised input") {
  Graph graph;
  const int words = graph.input("x", {3, 20}, "s32");
  const int x = graph.node("DequantizeLinear", {words, scalar(graph, 0.1F)});
  const int w = graph.node("DequantizeLinear",
                           {graph.constant("w", {20, 24}, bytes_for<std::int8_t>({20, 24}, 7)),
                            scalar(graph, 0.01F), point<std::int8_t>(graph, 0)});
  const int y = graph.node("MatMul", {x, w});
  graph.output(
      graph.node("QuantizeLinear", {y, scalar(graph, 0.2F), point<std::int8_t>(graph, 4)}));
  for (const GraphNode& node : rewritten(graph).nodes) CHECK(node.kind != "QLinearMatMul");
}

TEST_CASE("quantised networks: a product whose input is quantised in each run") {
  Graph graph{.name = "dynamic"};
  const int x = graph.input("x", {5, 20});
  const int bytes = graph.node("DynamicQuantizeLinear", {x});
  const int w = graph.constant("w", {20, 24}, bytes_for<std::int8_t>({20, 24}, 7));
  const int sums = graph.node("MatMulInteger", {bytes, w, bytes + 2, point<std::int8_t>(graph, 3)});
  const int real = graph.node("Cast", {sums}, {{"type", std::string("f32")}});
  graph.output(graph.node("Mul", {real, bytes + 1}));
  CHECK(to_string(checked(graph).layers[0].plan.options.epilogue) == "input-zero,weights-zero");
}

TEST_CASE("quantised networks: numbers that no kernel has are named") {
  Graph graph;
  const int a = graph.input("a", {2, 2}, "u8");
  const int rows = graph.constant("rows", {2}, Bytes{1, 2});
  const int b = graph.constant("b", {2, 2}, SignedBytes(4));
  CHECK(error_of([&] {
          graph.node("MatMulInteger", {a, b, rows}, {}, "product");
        }) == "node product: zero points or scales per row of A; it must be understood");
  CHECK(error_of([&] { graph.input("x", {1}, "f16"); }) ==
        "input x is f16; must be f32, u8, s8 or s32");
}
