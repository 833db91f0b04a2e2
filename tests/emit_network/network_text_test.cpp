// SPDX-License-Identifier: Apache-2.0
// This test checks the texts of emitted networks, and which networks are refused.
#include <doctest/doctest.h>

#include "c_function.h"
#include "emitted_network.h"
#include "error_of.h"
#include "network_files.h"
#include "small_networks.h"
#include "tileplan/error.h"

using namespace tileplan;
using namespace tileplan::test;

namespace {

NetworkPlan planned(const Graph& graph) {
  return plan_network(graph, machine_for(detect_machine(), Target::scalar), {.plan = {.top = 1}});
}

std::string refusal(const Graph& graph) {
  const NetworkPlan plan = planned(graph);
  return error_of([&] { emit_network(plan, Target::scalar, "net"); });
}

}  // namespace

TEST_CASE("emitted networks: literals have the value of the float") {
  CHECK(float_text(6) == "6.0f");
  CHECK(float_text(-0.5F) == "(-0.5f)");
  CHECK(float_text(0.1F) == "0.100000001f");
  CHECK(float_text(1e20F) == "1.00000002e+20f");
  CHECK(float_text(-INFINITY) == "(-INFINITY)");
}

TEST_CASE("emitted networks: equal layers and equal operators share their functions") {
  Graph graph{.name = "chain"};
  int x = graph.input("image", {1, 16, 8, 8});
  for (int i = 0; i < 3; ++i) x = graph.node("Tanh", {conv(graph, x, {16, 16, 1, 1}, 1, 0)});
  graph.output(x);
  const EmittedNetwork emitted = emit_network(planned(graph), Target::scalar, "net");
  const std::string steps = content_of_file(emitted, "net_steps.h");
  const std::string calls = content_of_file(emitted, "net.c");
  CHECK(steps.find("net_layer1_run") != std::string::npos);
  CHECK(calls.find("/* conv0 (Conv): 1x16x8x8, ") != std::string::npos);
  std::size_t tanh = 0;
  for (std::size_t at = steps.find("net_tanh"); at != std::string::npos;
       at = steps.find("net_tanh", at + 1))
    ++tanh;
  // Functions of equal text are shared. The last Tanh may have a function of its own, because it
  // writes to the output of the network and not in place.
  CHECK(tanh <= 2);
}

TEST_CASE("emitted networks: names of models stay in comments") {
  CHECK(comment_text("conv1/Relu:0") == "conv1/Relu:0");
  CHECK(comment_text("*/ int x; /*") == "_/ int x_ /_");
  CHECK(comment_text("a\nb\\\n?"
                     "?/") == "a_b____/");
  Graph graph{.name = "*/ #error"};
  const int x = graph.input("*/ #error", {1, 16, 8, 8});
  const int w = random_constant(graph, "w", {16, 16, 1, 1});
  graph.output(graph.node("Conv", {x, w}, {}, "*/\n#error"));
  for (const EmittedFile& each : emit_network(planned(graph), Target::scalar, "net").files) {
    CHECK(each.content.find("*/ #error") == std::string::npos);
    CHECK(each.content.find("\n#error") == std::string::npos);
  }
}

TEST_CASE("emitted networks: names, types and operators without C are refused with the rule") {
  const NetworkPlan plan = planned(branch_network());
  CHECK_THROWS_WITH_AS(emit_network(plan, Target::scalar, "2x"),
                       "emit: name '2x'; must be a C identifier", Error);
  NetworkPlan list = plan;
  list.rewritten = nullptr;
  CHECK_THROWS_WITH_AS(emit_network(list, Target::scalar, "net"),
                       doctest::Contains("is a list of layers; must be a graph"), Error);

  Graph quantised{.name = "quantised"};
  int x = conv(quantised, quantised.input("image", {1, 16, 8, 8}), {16, 16, 1, 1}, 1, 0);
  const int scale = quantised.constant("scale", {}, std::vector<float>{0.5F});
  const int zero = quantised.constant("zero", {}, std::vector<std::uint8_t>{3});
  x = quantised.node("QuantizeLinear", {x, scale, zero}, {}, "to bytes");
  quantised.output(quantised.node("DequantizeLinear", {x, scale, zero}));
  CHECK(refusal(quantised).starts_with("node to bytes (QuantizeLinear): tensor "));
  CHECK(refusal(quantised).ends_with("is u8; tensors of emitted networks must be f32"));
}
