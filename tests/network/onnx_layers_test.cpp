// SPDX-License-Identifier: Apache-2.0
// This test builds models and checks which nodes become layers or epilogues, are skipped, or are
// refused.
#include <doctest/doctest.h>

#include "error_of.h"
#include "onnx_model_file.h"
#include "plan_graph.h"
#include "rewrite.h"
#include "tileplan/error.h"
#include "tileplan/network.h"

using namespace tileplan;

namespace {

using Model = OnnxModelFile;

struct FoundLayer {
  std::string name;
  Problem problem;
  Epilogue epilogue;
  std::vector<std::string> others;
};

struct Found {
  std::vector<FoundLayer> layers;
  std::vector<SkippedLayer> skipped;
};

Found layers_in(const Model& model, const std::map<std::string, Shape>& shapes = {}) {
  const Graph graph = rewritten(model.load(shapes));
  const GraphLayers layers = graph_layers(graph);
  Found found{.layers = {}, .skipped = layers.skipped};
  for (std::size_t i = 0; i < layers.layers.size(); ++i) {
    std::vector<std::string> nodes = nodes_of(graph, layers, static_cast<int>(i));
    found.layers.push_back({nodes.front(),
                            layers.layers[i].problem,
                            layers.layers[i].epilogue,
                            {nodes.begin() + 1, nodes.end()}});
  }
  return found;
}

/// Adds a 3x3 convolution with 8 input channels, 16 output channels, stride 2 and padding 1.
onnx::NodeProto& add_conv(Model& model, const std::string& input) {
  onnx::NodeProto& conv = model.node("Conv", "conv", {input, model.weight("w", {16, 8, 3, 3})});
  Model::set(conv, "strides", {2, 2});
  Model::set(conv, "pads", {1, 1, 1, 1});
  return conv;
}

std::string problem_of(const Found& network, std::size_t layer = 0) {
  REQUIRE(network.layers.size() > layer);
  return to_string(network.layers[layer].problem);
}

}  // namespace

TEST_CASE("onnx: a convolution is read with its attributes; normalization and Relu are fused") {
  Model model("x", {1, 8, 20, 12});
  Model::set(model.node("MaxPool", "pool", {"x"}), "kernel_shape", {2, 2});
  Model::set(add_conv(model, "x"), "dilations", {1, 1});
  model.node("BatchNormalization", "norm",
             {"conv", model.weight("a", {16}), model.weight("b", {16}), model.weight("c", {16}),
              model.weight("d", {16})});
  model.node("Relu", "relu", {"norm"});
  const Found network = layers_in(model);
  CHECK(problem_of(network) == "mb1ic8ih20iw12oc16oh10ow6kh3sh2ph1");
  CHECK(to_string(network.layers[0].epilogue) == "bias,relu");
  REQUIRE(network.skipped.size() == 1);
  CHECK(network.skipped[0].name == "pool");
  CHECK(network.skipped[0].reason == "MaxPool is neither a convolution nor a product");
}

TEST_CASE("onnx: doubles are planned as such, other types not at all") {
  Model model("x", {4, 6}, onnx::TensorProto::DOUBLE);
  model.node("MatMul", "product", {"x", model.weight("u", {6, 6})});
  model.node("Clip", "clip", {"product", model.weight("low", {}, -1), model.weight("high", {}, 6)});
  const Found network = layers_in(model);
  CHECK(problem_of(network) == "--dt=f64 m4n6k6");
  CHECK(to_string(network.layers[0].epilogue) == "clamp=-1:6");
  Model added("x", {4, 6}, onnx::TensorProto::DOUBLE);
  added.node("MatMul", "product", {"x", added.weight("u", {6, 6})});
  added.node("Add", "sum", {"product", added.weight("bias", {6})});
  CHECK(problem_of(layers_in(added)) == "--dt=f64 m4n6k6");
  Model half("x", {1, 8, 20, 20}, onnx::TensorProto::FLOAT16);
  add_conv(half, "x");
  REQUIRE(layers_in(half).skipped.size() == 1);
  CHECK(layers_in(half).skipped[0].reason ==
        "tensors of FLOAT16 and FLOAT16; must both be f32 or f64");
}

TEST_CASE("onnx: a model without a plan is refused with the reason of its layers") {
  Model half("x", {1, 8, 20, 20}, onnx::TensorProto::FLOAT16);
  add_conv(half, "x");
  half.node("Softmax", "first", {"conv"});
  half.node("Softmax", "second", {"first"});
  const std::string text =
      error_of([&] { plan_network(half.load(), load_machine("xeon-gold-6130")); });
  CHECK(text.find(": nothing to plan; 1 Conv has no plan (conv; ") != std::string::npos);
  CHECK(text.ends_with("): tensors of FLOAT16 and FLOAT16; must both be f32 or f64"));
  Model none("x", {1, 8});
  none.node("Softmax", "only", {"x"});
  CHECK_THROWS_WITH_AS(
      plan_network(none.load(), load_machine("xeon-gold-6130")),
      doctest::Contains("nothing to plan; must have a convolution or a product (Softmax is"),
      Error);
}

TEST_CASE("onnx: a constant of bytes is not understood, and not filled with another number") {
  for (const auto& [type, reason] : {std::pair{onnx::TensorProto::UINT8, "a value of u8"},
                                     {onnx::TensorProto::BOOL, "a value of BOOL"},
                                     {onnx::TensorProto::INT64, ""}}) {
    Model model("x", {2, 3});
    onnx::NodeProto& fill =
        model.node("ConstantOfShape", "fill", {model.integers("shape", {2, 3})});
    onnx::TensorProto& value =
        *Model::attribute(fill, "value", onnx::AttributeProto::TENSOR).mutable_t();
    value.set_data_type(type);
    value.add_dims(1);
    if (type == onnx::TensorProto::INT64)
      value.add_int64_data(3);
    else
      value.add_int32_data(1);
    CHECK(model.load().nodes.front().not_understood == reason);
  }
}

TEST_CASE("onnx: a Gather by a table of indices is not understood") {
  Model model("x", {4, 3});
  model.reshape("table", model.integers("list", {0, 1, 1, 3}), {2, 2});
  model.node("Gather", "gather", {"x", "table"});
  model.output("gather", {2, 2, 3});
  CHECK(model.load().nodes.back().not_understood == "a Gather whose indices are 2x2");
}

TEST_CASE("onnx: integers are added as such, and not by an affine function of floats") {
  Model model("x", {2, 3}, onnx::TensorProto::INT64);
  model.node("Add", "sum", {"x", model.integers("three", {1, 2, 3})});
  model.output("sum", {2, 3});
  const Graph graph = rewritten(model.load());
  REQUIRE(graph.nodes.size() == 1);
  CHECK(graph.nodes[0].kind == "Add");
}

TEST_CASE("onnx: a Dropout is removed, but not understood if its mask is read") {
  for (const bool reads_mask : {false, true}) {
    Model model("x", {2, 3});
    model.node("Dropout", "drop", {"x"}).add_output("mask");
    model.node("Relu", "relu", {"drop"});
    model.output("relu", {2, 3});
    if (reads_mask) {
      Model::attribute(model.node("Cast", "kept", {"mask"}), "to", onnx::AttributeProto::INT)
          .set_i(onnx::TensorProto::FLOAT);
      model.output("kept", {2, 3});
    }
    const Graph graph = rewritten(model.load());
    REQUIRE(graph.nodes.size() == (reads_mask ? 3 : 1));
    CHECK(graph.nodes[0].not_understood == (reads_mask ? "the mask of a Dropout" : ""));
  }
}

TEST_CASE("onnx: a mean over a repeated axis is no mean over planes") {
  for (const auto& [axes, kind] :
       {std::pair{Shape{2, 3}, "GlobalAveragePool"}, {Shape{2, -2}, "ReduceMean"}}) {
    Model model("x", {1, 8, 4, 5});
    Model::set(model.node("ReduceMean", "mean", {"x"}), "axes", axes);
    CHECK(rewritten(model.load()).nodes.front().kind == kind);
  }
}

TEST_CASE("onnx: a graph that reads itself, has a cycle or writes twice is refused") {
  Model twice("x", {1, 8, 20, 20});
  twice.node("Conv", "conv", {"x", twice.weight("w", {16, 8, 3, 3})}, "y");
  twice.node("Add", "add", {"y", twice.weight("bias", {16, 1, 1})}, "y");
  CHECK_THROWS_WITH_AS(layers_in(twice),
                       doctest::Contains(": node add: writes y again; each value must be written"),
                       Error);
  Model cycle("x", {1, 8, 20, 20});
  cycle.node("Conv", "conv", {"x", cycle.weight("w", {16, 8, 3, 3})});
  cycle.node("Add", "first", {"conv", "second"});
  cycle.node("Relu", "second", {"first"});
  CHECK_THROWS_WITH_AS(layers_in(cycle),
                       doctest::Contains("node first: reads second, which no earlier node"), Error);
  Model none("x", {1, 8, 20, 20});
  none.node("Relu", "relu", {"x"}).clear_output();
  CHECK_THROWS_WITH_AS(layers_in(none),
                       doctest::Contains("node relu: has no output; must have at least one"),
                       Error);
}

TEST_CASE("onnx: nodes that do not fit their inputs are refused with the rule") {
  const auto refusal = [](const Shape& weights, auto&& change) -> std::string {
    Model model("x", {1, 8, 20, 20});
    change(model.node("Conv", "conv", {"x", model.weight("w", weights)}));
    try {
      layers_in(model);
    } catch (const Error& error) {
      const std::string text = error.what();
      return text.substr(text.find(": ") + 2);
    }
    return "";
  };
  const auto with = [](const char* name, const Shape& values) {
    return [name, values](onnx::NodeProto& conv) { Model::set(conv, name, values); };
  };
  const auto same = [](onnx::NodeProto& conv) {
    Model::set(conv, "strides", {2, 2});
    Model::attribute(conv, "auto_pad", onnx::AttributeProto::STRING).set_s("SAME_UPPER");
  };
  const Shape fitting{16, 8, 3, 3};
  CHECK(refusal({16, 8}, same) ==
        "node conv: the weights have 2 dimensions; must have 4 like the input");
  CHECK(refusal({16, 8, 3}, same) ==
        "node conv: the weights have 3 dimensions; must have 4 like the input");
  CHECK(refusal(fitting, same).empty());
  CHECK(refusal(fitting, with("strides", {0, 1})) ==
        "node conv: strides has 0; must be from 1 to 2147483647");
  CHECK(refusal(fitting, with("dilations", {1, std::int64_t{1} << 60})) ==
        "node conv: dilations has 1152921504606846976; must be from 1 to 2147483647");
  CHECK(refusal(fitting, with("pads", {1})) == "node conv: pads has 1 numbers; must have 4");
  CHECK(refusal(fitting, with("kernel_shape", {5, 5})) ==
        "node conv: kernel_shape is 5x5; must be 3x3 like the weights");
  CHECK(refusal(fitting, with("kernel_shape", {3, 3})).empty());
  CHECK(refusal({16, 4, 3, 3}, with("strides", {1, 1})) ==
        "node conv: the channels of a group and of the weights are 8 and 4; must be equal");
  CHECK(refusal(fitting, [](onnx::NodeProto& conv) { Model::set(conv, "group", 0); }) ==
        "node conv: group is 0; must divide the 8 channels of the input");
  CHECK(refusal(fitting, [](onnx::NodeProto& conv) { conv.mutable_input()->RemoveLast(); }) ==
        "node conv: Node (conv) has input size 1 not in range [min=2, max=3].");
  Model product("x", {4, 6});
  product.node("MatMul", "product", {"x", product.weight("w", {5, 7})});
  CHECK_THROWS_WITH_AS(layers_in(product), doctest::Contains("A and B are 6 and 5; must be equal"),
                       Error);
}

TEST_CASE("onnx: extents beyond the limits are refused, given or computed") {
  Model large("x", {1, 8, std::int64_t{1} << 60, 20});
  add_conv(large, "x");
  CHECK_THROWS_WITH_AS(layers_in(large),
                       doctest::Contains("value x has an extent of 1152921504606846976; must be"),
                       Error);
  Model many("x", {1 << 20, 1 << 20, 1 << 20});
  many.node("Relu", "relu", {"x"});
  CHECK_THROWS_WITH_AS(layers_in(many), doctest::Contains("value x has more than 2^40 elements"),
                       Error);
  Model flat("x", {1 << 20, 1 << 12});
  flat.reshape("line", "x", {std::int64_t{1} << 32});
  CHECK_THROWS_WITH_AS(layers_in(flat), doctest::Contains("value line has an extent of 4294967296"),
                       Error);
}

TEST_CASE("onnx: operator sets that the onnx library does not know still load") {
  Model model("x", {1, 8, 20, 20}, onnx::TensorProto::FLOAT, 99);
  add_conv(model, "x");
  CHECK(problem_of(layers_in(model)) == "mb1ic8ih20oc16oh10kh3sh2ph1");
}

TEST_CASE("onnx: an old Upsample has its scales as an attribute") {
  Model model("x", {1, 8, 10, 10}, onnx::TensorProto::FLOAT, 7);
  onnx::AttributeProto& scales =
      Model::attribute(model.node("Upsample", "up", {"x"}), "scales", onnx::AttributeProto::FLOATS);
  for (const float scale : {1.0F, 1.0F, 2.0F, 2.0F}) scales.add_floats(scale);
  add_conv(model, "up");
  CHECK(problem_of(layers_in(model)) == "mb1ic8ih20oc16oh10kh3sh2ph1");
}

TEST_CASE("onnx: shapes are inferred through constants and functions") {
  Model model("x", {1, 8, 20, 20});
  model.call("twice", "called", "x");
  model.reshape("flat", "called", {1, 8, 10, 40});
  add_conv(model, "flat");
  CHECK(problem_of(layers_in(model)) == "mb1ic8ih10iw40oc16oh5ow20kh3sh2ph1");
}

TEST_CASE("onnx: a result that others read too keeps what follows apart") {
  Model model("x", {1, 8, 20, 20});
  add_conv(model, "x");
  model.node("Relu", "relu", {"conv"});
  model.node("Sigmoid", "gate", {"conv"});
  const Found network = layers_in(model);
  CHECK(to_string(network.layers.at(0).epilogue) == "none");
  CHECK(network.skipped.size() == 2);
}

TEST_CASE("onnx: a Clip whose limits are no constants stays apart") {
  Model model("x", {1, 8, 20, 20});
  add_conv(model, "x");
  model.node("ReduceMean", "low", {"x"});
  model.node("Clip", "clip", {"conv", "low"});
  const Found network = layers_in(model);
  REQUIRE(network.layers.size() == 1);
  CHECK(to_string(network.layers[0].epilogue) == "none");
  CHECK(network.skipped.size() == 2);
}

TEST_CASE("onnx: a residual that is there before is added, one that comes later is not") {
  Model model("x", {4, 6});
  model.node("MatMul", "first", {"x", model.weight("u", {6, 6})});
  model.node("MatMul", "second", {"x", model.weight("v", {6, 6})});
  model.node("Add", "sum", {"first", "second"});
  model.node("Clip", "clip", {"sum", model.weight("low", {}, -1), model.weight("high", {}, 6)});
  const Found network = layers_in(model);
  REQUIRE(network.layers.size() == 2);
  CHECK(network.layers[0].name == "first");
  CHECK(to_string(network.layers[0].epilogue) == "none");
  CHECK(to_string(network.layers[1].epilogue) == "add,clamp=-1:6");
  CHECK(network.skipped.empty());
}

TEST_CASE("onnx: Gemm may have a constant transpose and a bias; equal layers are one") {
  Model model("x", {5, 7});
  Model::set(model.node("Gemm", "one", {"x", model.weight("b", {7, 7}), model.weight("c", {7})}),
             "transB", 1);
  Model::set(model.node("Gemm", "two", {"one", "b", "c"}), "transB", 1);
  const Found network = layers_in(model);
  CHECK(problem_of(network) == "m5n7k7");
  CHECK(to_string(network.layers[0].epilogue) == "bias");
  CHECK(network.layers[0].others == std::vector<std::string>{"two"});
}

TEST_CASE("onnx: batches of a product are rows, or a batch when B has them too") {
  Model model("x", {2, 3, 4, 6});
  model.node("MatMul", "rows", {"x", model.weight("b", {6, 5})});
  Model::set(model.node("Transpose", "turned", {"x"}), "perm", {0, 1, 3, 2});
  model.node("MatMul", "batch", {"x", "turned"});
  model.node("MatMul", "spread", {"x", model.weight("s", {3, 6, 5})});
  const Found network = layers_in(model);
  CHECK(problem_of(network, 0) == "m24n5k6");
  CHECK(problem_of(network, 1) == "b6m4n4k6");
  REQUIRE(network.skipped.size() == 2);
  CHECK(network.skipped[1].reason == "batches of A and B differ");
}

TEST_CASE("onnx: open shapes are asked for, and closed by name") {
  Model model("x", {0, 8, 20, 20});
  add_conv(model, "x");
  CHECK_THROWS_WITH_AS(layers_in(model), doctest::Contains("is ?x8x20x20; say it in numbers"),
                       Error);
  CHECK(problem_of(layers_in(model, parse_shapes({"x=3x8x20x20"}))) ==
        "mb3ic8ih20oc16oh10kh3sh2ph1");
  CHECK_THROWS_WITH_AS(layers_in(model, {{"y", {1}}, {"x", {1, 8, 20, 20}}}),
                       doctest::Contains("no input 'y'"), Error);
  CHECK_THROWS_WITH_AS(parse_shapes({"x"}), doctest::Contains("must be like"), Error);
  CHECK_THROWS_WITH_AS(parse_shapes({"x=1x3", "x=2x2"}), doctest::Contains("is given twice"),
                       Error);
  CHECK_THROWS_WITH_AS(parse_shapes({"x=1x0"}), doctest::Contains("\"x=1x0\""), Error);
}

TEST_CASE("onnx: half a file, and none, are refused with their name") {
  Model model("x", {1, 8, 20, 20});
  add_conv(model, "x");
  const TemporaryFolder folder;
  const std::string path = folder / "half.onnx", bytes = model.bytes();
  std::ofstream(path, std::ios::binary) << bytes.substr(0, bytes.size() / 2);
  CHECK_THROWS_WITH_AS(load_onnx(path, {}), doctest::Contains("half.onnx: not an ONNX model"),
                       Error);
  CHECK_THROWS_WITH_AS(load_onnx(folder / "none.onnx", {}), doctest::Contains("cannot be read"),
                       Error);
}
