// SPDX-License-Identifier: Apache-2.0
// This test compares emitted networks with compiled ones of the same plan. Outputs must be equal,
// or equal up to rounding where compilers round products and sums separately.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "emitted_network.h"
#include "small_networks.h"

using namespace tileplan;
using namespace tileplan::test;

namespace {

// With -O2, GCC 12 does not fuse the product and the sum of some vectors, which rounds them twice.
constexpr const char* kCompiler = "cc -O3 -fno-math-errno";

/// If products and sums are rounded separately, results change by at most this share of the largest
/// one.
constexpr double kRounding = 1e-5;

struct Case {
  Target target = Target::avx2;
  Algorithm algorithm = Algorithm::direct;
  int threads = 1;
};

NetworkPlan planned(const Graph& graph, const Case& each) {
  Machine machine = machine_for(detect_machine(), each.target);
  // The instructions for dot products are switched off, because some hosts have them for wide
  // vectors only.
  machine.vector.dots = {};
  return plan_network(graph, machine,
                      {.plan = {.top = 1, .threads = each.threads, .algorithm = each.algorithm}});
}

/// Returns the targets of emitted C whose vectors this host has.
std::vector<Target> host_targets() {
  std::vector<Target> targets;
  const Isa isa = detect_machine().vector.isa;
  if (isa == Isa::avx512) targets = {Target::avx512, Target::avx512vl};
  targets.push_back(Target::avx2);
  return targets;
}

/// Returns the largest difference of outputs, relative to the largest number of each output, or
/// infinity if a difference is NaN.
double difference(const NetworkTensors& got, const NetworkTensors& expected) {
  double largest = 0;
  for (std::size_t i = 0; i < got.outputs.size(); ++i) {
    const auto& values = std::get<std::vector<float>>(got.outputs[i]);
    const auto& others = std::get<std::vector<float>>(expected.outputs[i]);
    double error = 0, scale = 1e-30;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const double each = std::abs(static_cast<double>(values[k]) - others[k]);
      if (!(each <= error)) error = std::isnan(each) ? INFINITY : each;
      scale = std::max(scale, std::abs(static_cast<double>(others[k])));
    }
    largest = std::max(largest, error / scale);
  }
  return largest;
}

/// Compares the outputs of the compiled C with those of a run. With a `tolerance` of 0, both must
/// be equal.
void check_equal(const Graph& graph, const Case& each, const std::string& compiler = kCompiler,
                 double tolerance = 0) {
  CAPTURE(graph.name);
  CAPTURE(to_string(each.target));
  const NetworkPlan plan = planned(graph, each);
  const EmittedNetwork emitted = emit_network(plan, each.target, "net");
  const EmittedProgram program(emitted, *plan.rewritten, compiler);
  NetworkTensors expected(*plan.rewritten, 5), got(*plan.rewritten, 5);
  const CompiledNetwork compiled = compile(plan);
  Workspace workspace = compiled.make_workspace();
  compiled.run(expected.input_views, expected.output_views, workspace);
  REQUIRE(program.run(got) == 0);
  CHECK(difference(got, expected) <= tolerance);
}

/// Adds a fire module of SqueezeNet, which is a convolution and two others that read its result.
/// Returns the module's result.
int fire(Graph& graph, int x, std::int64_t in, std::int64_t squeezed, std::int64_t expanded) {
  x = graph.node("Relu", {conv(graph, x, {squeezed, in, 1, 1}, 1, 0)});
  const int narrow = graph.node("Relu", {conv(graph, x, {expanded, squeezed, 1, 1}, 1, 0)});
  const int wide = graph.node("Relu", {conv(graph, x, {expanded, squeezed, 3, 3}, 1, 1)});
  return graph.node("Concat", {narrow, wide}, {{"axis", std::int64_t{1}}});
}

Graph small_squeezenet() {
  const Attributes pool{{"kernel_shape", Integers{3, 3}}, {"strides", Integers{2, 2}}};
  Graph graph{.name = "squeezenet"};
  int x = graph.input("data", {1, 3, 63, 63});
  x = graph.node("Relu", {conv(graph, x, {64, 3, 3, 3}, 2, 0)});
  x = graph.node("MaxPool", {x}, pool);
  x = fire(graph, x, 64, 16, 64);
  x = fire(graph, x, 128, 16, 64);
  x = graph.node("MaxPool", {x}, pool);
  x = fire(graph, x, 128, 32, 128);
  x = graph.node("Relu", {conv(graph, x, {40, 256, 1, 1}, 1, 0)});
  x = graph.node("Flatten", {graph.node("GlobalAveragePool", {x})});
  graph.output(graph.node("Softmax", {x}));
  return graph;
}

Graph small_resnet() {
  Graph graph{.name = "resnet"};
  int x = graph.input("data", {1, 3, 64, 64});
  x = graph.node("Relu", {conv(graph, x, {16, 3, 7, 7}, 2, 3)});
  x = graph.node("MaxPool", {x},
                 {{"kernel_shape", Integers{3, 3}},
                  {"strides", Integers{2, 2}},
                  {"pads", Integers{1, 1, 1, 1}}});
  std::int64_t channels = 16;
  for (const std::int64_t wide : {16, 32, 64})
    for (int block = 0; block < 2; ++block) {
      const std::int64_t stride = wide != channels ? 2 : 1;
      const int inner = graph.node("Relu", {conv(graph, x, {wide, channels, 3, 3}, stride, 1)});
      const int side = stride == 2 ? conv(graph, x, {wide, channels, 1, 1}, 2, 0) : x;
      x = graph.node("Relu",
                     {graph.node("Add", {conv(graph, inner, {wide, wide, 3, 3}, 1, 1), side})});
      channels = wide;
    }
  x = graph.node("Flatten", {graph.node("GlobalAveragePool", {x})});
  graph.output(graph.node(
      "Gemm", {x, random_constant(graph, "fc", {20, 64}), random_constant(graph, "b", {20})},
      {{"transB", std::int64_t{1}}}));
  return graph;
}

}  // namespace

TEST_CASE("emitted networks: all operators equal those of runs, bit for bit") {
  for (const Target target : host_targets()) {
    check_equal(operator_network(), {target});
    check_equal(branch_network(), {target});
    check_equal(activation_network(), {target});
    check_equal(shuffle_network("Relu"), {target});
    check_equal(shuffle_network("LRN"), {target});
  }
}

TEST_CASE("emitted networks: products without a kernel equal those of runs up to rounding") {
  for (const Target target : host_targets())
    check_equal(product_network(), {target}, kCompiler, kRounding);
}

TEST_CASE("emitted networks: SqueezeNet and ResNet, direct and with Winograd convolutions") {
  const Target target = host_targets().front();
  for (const Algorithm algorithm : {Algorithm::direct, Algorithm::winograd}) {
    check_equal(small_squeezenet(), {target, algorithm});
    check_equal(small_resnet(), {target, algorithm});
  }
}

TEST_CASE("emitted networks: layers on two threads compute equal outputs") {
  const Case two{.target = host_targets().front(), .threads = 2};
  if (detect_machine().cores < 2) return;
  check_equal(residual_block(), two, "cc -O3 -fopenmp");
  check_equal(small_resnet(), two, "cc -O3 -fopenmp");
}

TEST_CASE("emitted networks: sanitizers find nothing") {
  const std::string compiler = "cc -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all";
  const Target target = host_targets().front();
  check_equal(residual_block(), {target, Algorithm::winograd}, compiler, kRounding);
  check_equal(operator_network(), {target}, compiler, kRounding);
  check_equal(small_squeezenet(), {target}, compiler, kRounding);
}
