// SPDX-License-Identifier: Apache-2.0
// This test runs small networks and compares every step and the outputs with plain loops. It also
// saves and loads networks, and checks errors.
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <thread>

#include "error_of.h"
#include "onnx_model_file.h"
#include "plain_graph.h"
#include "rewrite.h"
#include "small_networks.h"
#include "temporary_folder.h"
#include "tileplan/error.h"
#include "tileplan/file.h"
#include "tileplan/network_run.h"

using namespace tileplan;
using namespace tileplan::test;

namespace {

using Model = OnnxModelFile;
NetworkPlan planned(const Graph& graph, Algorithm algorithm = Algorithm::direct, int threads = 1) {
  return plan_network(graph, detect_machine(),
                      {.plan = {.top = 1, .threads = threads, .algorithm = algorithm}});
}

/// Plans and compiles the graph, and checks all steps and outputs. Returns the plan.
NetworkPlan checked(const Graph& graph, Algorithm algorithm = Algorithm::direct, int threads = 1) {
  NetworkPlan plan = planned(graph, algorithm, threads);
  const NetworkCheck check = check_network(compile(plan));
  for (const auto* list : {&check.steps, &check.outputs})
    for (const StepCheck& each : *list) {
      CAPTURE(each.name);
      CAPTURE(each.kind);
      CAPTURE(each.check.largest_error);
      CAPTURE(each.check.tolerance);
      CHECK(each.check.passed());
    }
  REQUIRE(check.outputs.size() == graph.outputs.size());
  return plan;
}

std::size_t count_kind(const NetworkPlan& plan, const std::string& kind) {
  std::size_t count = 0;
  for (const NetworkStep& step : plan.steps) count += step.kind == kind ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("run: a residual block becomes kernels with epilogues and few other steps") {
  const NetworkPlan plan = checked(residual_block());
  CHECK(plan.operations == 4);
  CHECK(plan.planned == 4);
  CHECK(count_kind(plan, "BatchNormalization") + count_kind(plan, "Relu") +
            count_kind(plan, "Add") ==
        0);
  CHECK(plan.layouts.bound <= plan.layouts.seconds * 1.000001);
  CHECK(plan.layouts.bound >= plan.layouts.seconds * 0.999999);
  CHECK(plan.arena.bytes >= plan.arena.least_bytes);
}

TEST_CASE("run: Winograd convolutions with epilogues pass checks of their own tolerance") {
  const NetworkPlan plan = checked(residual_block(), Algorithm::winograd);
  std::size_t winograd = 0;
  for (const NetworkStep& step : plan.steps)
    if (step.layer >= 0) {
      const Plan& layer = plan.layers[static_cast<std::size_t>(step.layer)].plan;
      winograd += layer.candidates.front().schedule.winograd ? 1 : 0;
    }
  // Winograd applies neither to the first convolution, which has stride 2, nor to the last layer,
  // which is a product.
  CHECK(winograd == 2);
}

TEST_CASE("run: activations become epilogues of convolutions and products") {
  for (const Algorithm algorithm : {Algorithm::direct, Algorithm::winograd}) {
    const NetworkPlan plan = checked(activation_network(), algorithm);
    for (const char* kind :
         {"LeakyRelu", "Sigmoid", "Swish", "HardSwish", "HardSigmoid", "Mul", "Add", "Clip"}) {
      CAPTURE(kind);
      CHECK(count_kind(plan, kind) == 0);
    }
    std::vector<std::string> epilogues;
    for (const NetworkStep& step : plan.steps)
      if (step.layer >= 0)
        epilogues.push_back(
            to_string(plan.layers[static_cast<std::size_t>(step.layer)].plan.options.epilogue));
    CHECK(epilogues == std::vector<std::string>{"leaky=0.1", "silu", "silu", "hard-swish",
                                                "hard-swish", "add,hard-sigmoid=0.2:0.5",
                                                "add,sigmoid,clamp=0.25:0.75", "leaky=0.01"});
  }
}

TEST_CASE("run: an activation whose input is read twice stays a step") {
  Graph graph{.name = "twice"};
  const int x = graph.input("image", {1, 16, 8, 8});
  const int sum = conv(graph, x, {16, 16, 1, 1}, 1, 0);
  graph.output(graph.node("Add", {sum, graph.node("LeakyRelu", {sum})}));
  const NetworkPlan plan = checked(graph);
  CHECK(count_kind(plan, "LeakyRelu") == 1);
}

TEST_CASE("run: the choice of algorithms and layouts is at most as slow as that of layouts") {
  for (const std::int64_t size : {14, 56}) {
    Graph graph{.name = "pair"};
    int x = graph.input("image", {1, 64, size, size});
    x = graph.node("Relu", {conv(graph, x, {64, 64, 3, 3}, 1, 1)});
    graph.output(conv(graph, x, {64, 64, 3, 3}, 1, 1));
    const NetworkPlan direct = planned(graph), any = checked(graph, Algorithm::any);
    CHECK(any.layouts.seconds <= direct.layouts.seconds * 1.000001);
    CHECK(any.layouts.bound <= any.layouts.seconds * 1.000001);
  }
}

TEST_CASE("run: operators of image networks compute what plain loops do") {
  checked(operator_network());
}

TEST_CASE("run: products with other batches, transposes and factors have loops of their own") {
  const NetworkPlan plan = checked(product_network());
  CHECK(count_kind(plan, "Affine") == 0);
  const auto is_transposed = [](const NetworkLayer& layer) {
    const auto* const gemm = std::get_if<GemmShape>(&layer.plan.problem);
    return gemm != nullptr && gemm->ta && layer.plan.options.epilogue.alpha == 0.5;
  };
  CHECK(std::ranges::count_if(plan.layers, is_transposed) == 1);
}

TEST_CASE("measure: a network refuses budgets that are not positive and finite") {
  const CompiledNetwork network = compile(planned(residual_block()));
  for (const double budget : {-1.0, std::numeric_limits<double>::infinity()})
    CHECK_THROWS_WITH_AS(measure(network, budget), doctest::Contains("must be positive and finite"),
                         Error);
}

TEST_CASE("run: branches write into the parts of a concatenation") { checked(branch_network()); }

TEST_CASE("run: a result does not overwrite an operand that lies in the other one") {
  for (const char* kind : {"Mul", "Add", "Sub"}) {
    Graph graph{.name = "parts"};
    const int x = graph.input("x", {1, 4, 5, 6});
    const auto pixel_sums = [&](const char* name) {
      return graph.node("Conv", {x, random_constant(graph, name, {1, 4, 1, 1})});
    };
    const int a = pixel_sums("a"), b = pixel_sums("b");
    const int both = graph.node("Concat", {a, b}, {{"axis", std::int64_t{1}}});
    graph.output(graph.node(kind, {both, a}));
    checked(graph);
  }
}

TEST_CASE("run: integers become f32 only") {
  Graph graph{.name = "cast"};
  const int x = graph.input("x", {4, 16});
  graph.output(graph.node("MatMul", {x, random_constant(graph, "w", {16, 16})}));
  graph.output(
      graph.node("Cast", {graph.input("words", {1, 16}, "s32")}, {{"to", std::int64_t{2}}}));
  CHECK_THROWS_WITH_AS(compile(planned(graph)), doctest::Contains("a Cast of this form"), Error);
}

TEST_CASE("run: two threads share operators without a kernel") {
  checked(operator_network(16), Algorithm::direct, 2);
}

TEST_CASE("run: threads with a workspace each compute equal outputs") {
  const CompiledNetwork network = compile(planned(residual_block()));
  const std::vector<float> image(3 * 20 * 20, 0.25F);
  std::vector<std::vector<float>> results(3, std::vector<float>(10));
  std::vector<std::thread> threads;
  for (std::vector<float>& result : results)
    threads.emplace_back([&] {
      Workspace workspace = network.make_workspace();
      const std::vector<ConstElements> inputs{image};
      const std::vector<Elements> outputs{result};
      for (int i = 0; i < 5; ++i) network.run(inputs, outputs, workspace);
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(results[0] == results[1]);
  CHECK(results[0] == results[2]);
  CHECK(results[0][0] > 0);
}

TEST_CASE("run: outputs that are inputs or constants, and tensors of wrong sizes") {
  Graph graph{.name = "copies"};
  const int a = graph.input("a", {4, 16});
  const int product = graph.node("MatMul", {a, random_constant(graph, "w", {16, 16})});
  graph.output(product);
  graph.output(a);
  graph.output(product);
  graph.output(random_constant(graph, "c", {4, 16}));
  const NetworkPlan plan = checked(graph);
  const CompiledNetwork network = compile(plan);
  Workspace workspace = network.make_workspace();
  std::vector<float> in(64), out(64);
  const std::vector<ConstElements> inputs{in};
  const std::vector<Elements> few{out}, outputs{out, out, std::span(out).first(3), out};
  CHECK_THROWS_WITH_AS(network.run(inputs, few, workspace), "run: 1 outputs; the network has 4",
                       Error);
  CHECK_THROWS_WITH_AS(network.run(inputs, outputs, workspace),
                       doctest::Contains("has 3 elements; must have 64"), Error);
}

TEST_CASE("run: a node that is not understood is named, and the rest is planned") {
  Model model("x", {1, 8, 20, 20});
  model.node("Conv", "conv", {"x", model.weight("w", {16, 8, 3, 3}, 1)});
  model.node("Celu", "strange", {"conv"});
  model.output("strange", {1, 16, 18, 18});
  const NetworkPlan plan = planned(model.load());
  CHECK(plan.planned == 1);
  CHECK_THROWS_WITH_AS(compile(plan),
                       doctest::Contains("node strange: tileplan knows no operator Celu"), Error);
}

TEST_CASE("run: shapes that nodes compute are folded") {
  Model model("x", {1, 8, 6, 6});
  model.node("Conv", "conv", {"x", model.weight("w", {16, 8, 3, 3}, 0.5F)});
  model.node("Shape", "shape", {"conv"});
  model.node("Slice", "batch", {"shape", model.integers("zero", {0}), model.integers("one", {1})});
  Model::set(model.node("Concat", "target", {"batch", model.integers("rest", {-1})}), "axis", 0);
  model.node("Reshape", "flat", {"conv", "target"});
  model.output("flat", {1, 256});
  const NetworkPlan plan = checked(model.load());
  CHECK(plan.steps.size() <= 4);
}

TEST_CASE("graph: a Shape may list some of the axes") {
  Graph graph;
  const int x = graph.input("x", {2, 3, 4, 5});
  const auto extents_of = [&](const Attributes& attributes) {
    graph.outputs = {graph.node("Shape", {x}, attributes)};
    const std::vector<Numbers> input{std::vector<float>(120)};
    const auto values = run_plain(graph, input);
    return std::get<Extents>(*values[static_cast<std::size_t>(graph.outputs[0])]);
  };
  CHECK(extents_of({}) == Extents{2, 3, 4, 5});
  CHECK(extents_of({{"start", std::int64_t{0}}, {"end", std::int64_t{1}}}) == Extents{2});
  CHECK(extents_of({{"start", std::int64_t{-2}}}) == Extents{4, 5});
  CHECK(extents_of({{"start", std::int64_t{3}}, {"end", std::int64_t{9}}}) == Extents{5});
  CHECK(extents_of({{"start", std::int64_t{3}}, {"end", std::int64_t{1}}}).empty());
}

TEST_CASE("graph: a Resize uses its rule of coordinates, and no other") {
  Graph graph;
  const int x = graph.input("x", {1, 1, 1, 4});
  const int roi = graph.constant("roi", {0}, std::vector<float>{});
  const int scales = graph.constant("scales", {4}, std::vector<float>{1, 1, 1, 0.5F});
  const auto resized = [&](const std::string& rule) {
    graph.outputs = {graph.node(
        "Resize", {x, roi, scales},
        {{"coordinate_transformation_mode", rule}, {"nearest_mode", std::string("floor")}})};
    const std::vector<Numbers> input{std::vector<float>{0, 1, 2, 3}};
    const auto values = run_plain(graph, input);
    return std::get<std::vector<float>>(*values[static_cast<std::size_t>(graph.outputs[0])]);
  };
  CHECK(resized("asymmetric") == std::vector<float>{0, 2});
  CHECK(resized("tf_half_pixel_for_nn") == std::vector<float>{1, 3});
  CHECK(error_of([&] { resized("half_pixel_symmetric"); }).find("coordinates of the rule") !=
        std::string::npos);
}

TEST_CASE("graph: a Split without sizes says how many parts it has, also when it is saved") {
  Graph graph{.name = "parts"};
  const int x = graph.input("x", {4, 18});
  const int product = graph.node("MatMul", {x, random_constant(graph, "w", {18, 18})});
  CHECK(error_of([&] { graph.node("Split", {product}, {}, "split"); }) ==
        "node split: num_outputs is 0; must be from 1 to 65536 in a Split without sizes");
  const int first =
      graph.node("Split", {product}, {{"axis", std::int64_t{1}}, {"num_outputs", std::int64_t{4}}});
  CHECK(graph.values[static_cast<std::size_t>(first)].shape == Extents{4, 5});
  CHECK(graph.values[static_cast<std::size_t>(first + 3)].shape == Extents{4, 3});
  for (int part = 0; part < 4; ++part) graph.output(first + part);
  graph.nodes.back().attributes.erase("num_outputs");  // Files of ONNX may leave it out.
  const TemporaryFolder folder;
  save_network(compile(planned(graph)), folder / "parts.network");
  CHECK(load_network(folder / "parts.network").plan().graph->outputs.size() == 4);
}

TEST_CASE("graph: a Cast has the type that ONNX numbers") {
  Graph graph;
  const int x = graph.input("x", {2}, "s32");
  const int real = graph.node("Cast", {x}, {{"to", std::int64_t{1}}});
  CHECK(graph.values[static_cast<std::size_t>(real)].type == "f32");
  CHECK(error_of([&] {
          graph.node("Cast", {x}, {{"to", std::int64_t{9}}}, "cast");
        }) == "node cast: Cast to the type 9; it must be understood");
  CHECK(error_of([] { Graph{}.output(0); }) == "an output reads a value of a graph that has none");
}

TEST_CASE("saved networks: inputs and outputs are f32") {
  Graph graph{.name = "bytes"};
  const int x = graph.node("Cast", {graph.input("x", {4, 16}, "s32")}, {{"to", std::int64_t{1}}});
  graph.output(graph.node("MatMul", {x, random_constant(graph, "w", {16, 16})}));
  const TemporaryFolder folder;
  CHECK(error_of([&] { save_network(compile(planned(graph)), folder / "bytes.network"); }) ==
        "input x is s32; the inputs and outputs of a saved network must be f32");
}

TEST_CASE("run: a channel shuffle is one step in every layout") {
  for (const char* last : {"Relu", "LRN"}) {
    const NetworkPlan plan = checked(shuffle_network(last));
    CHECK(count_kind(plan, "Gather") == 1);
    CHECK(count_kind(plan, "Reshape") + count_kind(plan, "Transpose") == 0);
  }
}

TEST_CASE("saved networks: an output may be a constant") {
  Graph graph{.name = "constant"};
  const int a = graph.input("a", {4, 16});
  const int constant = random_constant(graph, "c", {3});
  graph.output(graph.node("MatMul", {a, random_constant(graph, "w", {16, 16})}));
  graph.output(constant);
  const TemporaryFolder folder;
  const CompiledNetwork network = compile(planned(graph));
  save_network(network, folder / "constant.network");
  const CompiledNetwork loaded = load_network(folder / "constant.network");
  const std::vector<float> in(64, 1);
  const std::vector<ConstElements> inputs{in};
  const auto results_of = [&](const CompiledNetwork& each) {
    std::vector<std::vector<float>> results{std::vector<float>(64), std::vector<float>(3)};
    Workspace workspace = each.make_workspace();
    each.run(inputs, std::vector<Elements>{results[0], results[1]}, workspace);
    return results;
  };
  const auto results = results_of(loaded);
  CHECK(results == results_of(network));
  const Numbers& numbers = *graph.values[static_cast<std::size_t>(constant)].numbers;
  CHECK(results[1] == std::get<std::vector<float>>(numbers));
}

TEST_CASE("saved networks: a loaded network computes equal bits, damaged files get one line") {
  const TemporaryFolder folder;
  const std::string path = folder / "block.network";
  for (const Algorithm algorithm : {Algorithm::direct, Algorithm::winograd}) {
    const CompiledNetwork network = compile(planned(residual_block(), algorithm));
    save_network(network, path);
    CHECK(is_saved_network(path));
    const CompiledNetwork loaded = load_network(path);
    CHECK(loaded.plan().steps.size() == network.plan().steps.size());
    CHECK(loaded.plan().arena.bytes == network.plan().arena.bytes);
    CHECK(loaded.plan().layouts.seconds == network.plan().layouts.seconds);
    CHECK(error_of([&] { check_network(loaded); }).find("are packed") != std::string::npos);
  }
  const std::string text = content_of(path);
  const auto refused = [&](const std::string& damaged) {
    write_file(path, damaged);
    const std::string error = error_of([&] { load_network(path); });
    CHECK(error.starts_with(path + ": "));
    CHECK(error.find('\n') == std::string::npos);
  };
  for (std::size_t size = 20; size < text.size(); size += text.size() / 15)
    refused(text.substr(0, size));
  const auto changed = [&](const std::string& from, const std::string& to) {
    REQUIRE(from.size() == to.size());
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    refused(std::string(text).replace(at, from.size(), to));
  };
  changed("\"kind\":\"Conv\"", "\"kind\":\"Cone\"");
  changed("\"offset\":", "\"offs_t\":");
  changed("\"inputs\":[0,", "\"inputs\":[9,");
  changed("\"schedule\":\"[T(", "\"schedule\":\"[R(");
}
