// SPDX-License-Identifier: Apache-2.0
// Models built node by node: what is a layer, what its epilogue, what neither and why.
#include "onnx_graph.h"

#include <doctest/doctest.h>
#include <onnx/onnx_pb.h>

#include <cstdint>

#include "temporary_folder.h"
#include "tileplan/error.h"

using namespace tileplan;

namespace {

using Shape = std::vector<std::int64_t>;

/// A graph with one input, written to a file. A size of 0 is open.
class Model {
 public:
  Model(const std::string& input, const Shape& shape,
        onnx::TensorProto::DataType type_of_all = onnx::TensorProto::FLOAT)
      : type_(type_of_all) {
    model_.set_ir_version(7);
    model_.add_opset_import()->set_version(13);
    auto* value = model_.mutable_graph()->add_input();
    value->set_name(input);
    auto* type = value->mutable_type()->mutable_tensor_type();
    type->set_elem_type(type_);
    for (const std::int64_t size : shape)
      if (size > 0)
        type->mutable_shape()->add_dim()->set_dim_value(size);
      else
        type->mutable_shape()->add_dim()->set_dim_param("open");
  }

  std::string weight(const std::string& name, const Shape& shape, float value = 0) {
    auto* tensor = model_.mutable_graph()->add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(type_);
    std::int64_t elements = 1;
    for (const std::int64_t size : shape) {
      tensor->add_dims(size);
      elements *= size;
    }
    for (std::int64_t i = 0; i < elements; ++i)
      if (type_ == onnx::TensorProto::DOUBLE)
        tensor->add_double_data(value);
      else
        tensor->add_float_data(value);
    return name;
  }

  /// Computes the value called as the node.
  onnx::NodeProto& node(const std::string& operation, const std::string& name,
                        const std::vector<std::string>& inputs) {
    auto* node = model_.mutable_graph()->add_node();
    node->set_op_type(operation);
    node->set_name(name);
    for (const std::string& input : inputs) node->add_input(input);
    node->add_output(name);
    return *node;
  }

  void output(const std::string& name, const Shape& shape) {
    auto* value = model_.mutable_graph()->add_output();
    value->set_name(name);
    auto* type = value->mutable_type()->mutable_tensor_type();
    type->set_elem_type(type_);
    for (const std::int64_t size : shape) type->mutable_shape()->add_dim()->set_dim_value(size);
  }

  static void set(onnx::NodeProto& node, const char* name, const Shape& values) {
    auto* attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto::INTS);
    for (const std::int64_t value : values) attribute->add_ints(value);
  }
  static void set(onnx::NodeProto& node, const char* name, std::int64_t value) {
    auto* attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto::INT);
    attribute->set_i(value);
  }

  std::string bytes() const { return model_.SerializeAsString(); }
  OnnxNetwork read(const InputShapes& shapes = {}) const {
    const TemporaryFolder folder;
    const std::string path = folder / "model.onnx";
    std::ofstream(path, std::ios::binary) << bytes();
    return read_onnx(path, shapes);
  }

 private:
  onnx::ModelProto model_;
  onnx::TensorProto::DataType type_;
};

/// A 3x3 convolution, stride 2, of 8 channels to 16.
onnx::NodeProto& add_conv(Model& model, const std::string& input) {
  onnx::NodeProto& conv = model.node("Conv", "conv", {input, model.weight("w", {16, 8, 3, 3})});
  Model::set(conv, "strides", {2, 2});
  Model::set(conv, "pads", {1, 1, 1, 1});
  return conv;
}

std::string problem_of(const OnnxNetwork& network, std::size_t layer = 0) {
  REQUIRE(network.layers.size() > layer);
  return to_string(network.layers[layer].problem);
}

}  // namespace

TEST_CASE("onnx: a convolution with its attributes; normalization, residual and Relu fused") {
  Model model("x", {1, 8, 20, 12});
  model.node("MaxPool", "pool", {"x"});
  Model::set(add_conv(model, "x"), "dilations", {1, 1});
  model.node("BatchNormalization", "norm",
             {"conv", model.weight("a", {16}), model.weight("b", {16}), model.weight("c", {16}),
              model.weight("d", {16})});
  model.node("Relu", "relu", {"norm"});
  const OnnxNetwork network = model.read();
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
  const OnnxNetwork network = model.read();
  CHECK(problem_of(network) == "--dt=f64 m4n6k6");
  CHECK(to_string(network.layers[0].epilogue) == "clamp=-1:6");
  Model half("x", {1, 8, 20, 20}, onnx::TensorProto::FLOAT16);
  add_conv(half, "x");
  REQUIRE(half.read().skipped.size() == 1);
  CHECK(half.read().skipped[0].reason ==
        "tensors of FLOAT16 and FLOAT16; must both be FLOAT or DOUBLE");
}

TEST_CASE("onnx: attributes and inputs of other numbers than the operation has are said") {
  Model model("x", {1, 8, 20, 20});
  Model::set(model.node("Conv", "conv", {"x", model.weight("w", {16, 8, 3, 3})}), "pads", Shape{1});
  model.node("Conv", "bare", {"x"});
  model.output("conv", {1, 16, 20, 20});
  const OnnxNetwork network = model.read();
  REQUIRE(network.skipped.size() == 2);
  CHECK(network.skipped[0].reason == "pads has 1 numbers; must have 4");
  CHECK(network.skipped[1].reason == "Conv of 1 inputs; must have at least 2");
}

TEST_CASE("onnx: a result that others read too keeps what follows apart") {
  Model model("x", {1, 8, 20, 20});
  add_conv(model, "x");
  model.node("Relu", "relu", {"conv"});
  model.node("Sigmoid", "gate", {"conv"});
  const OnnxNetwork network = model.read();
  CHECK(to_string(network.layers.at(0).epilogue) == "none");
  CHECK(network.skipped.size() == 2);
}

TEST_CASE("onnx: a residual that is there before is added, one that comes later is not") {
  Model model("x", {4, 6});
  model.node("MatMul", "first", {"x", model.weight("u", {6, 6})});
  model.node("MatMul", "second", {"x", model.weight("v", {6, 6})});
  model.node("Add", "sum", {"first", "second"});
  model.node("Clip", "clip", {"sum", model.weight("low", {}, -1), model.weight("high", {}, 6)});
  const OnnxNetwork network = model.read();
  REQUIRE(network.layers.size() == 2);
  CHECK(network.layers[0].name == "first");
  CHECK(to_string(network.layers[0].epilogue) == "none");
  CHECK(to_string(network.layers[1].epilogue) == "add,clamp=-1:6");
  CHECK(network.skipped.empty());
}

TEST_CASE("onnx: Gemm with a packed transpose and a bias; equal layers are one") {
  Model model("x", {5, 7});
  Model::set(model.node("Gemm", "one", {"x", model.weight("b", {7, 7}), model.weight("c", {7})}),
             "transB", 1);
  Model::set(model.node("Gemm", "two", {"one", "b", "c"}), "transB", 1);
  const OnnxNetwork network = model.read();
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
  const OnnxNetwork network = model.read();
  CHECK(problem_of(network, 0) == "m24n5k6");
  CHECK(problem_of(network, 1) == "b6m4n4k6");
  REQUIRE(network.skipped.size() == 2);
  CHECK(network.skipped[1].reason == "batches of A and B differ");
}

TEST_CASE("onnx: open shapes are asked for, and closed by name") {
  Model model("x", {0, 8, 20, 20});
  add_conv(model, "x");
  CHECK_THROWS_WITH_AS(model.read(), doctest::Contains("is ?x8x20x20; say it in numbers"), Error);
  CHECK(problem_of(model.read(parse_shapes({"x=3x8x20x20"}))) == "mb3ic8ih20oc16oh10kh3sh2ph1");
  CHECK_THROWS_WITH_AS(model.read({{"y", {1}}, {"x", {1, 8, 20, 20}}}),
                       doctest::Contains("no input 'y'"), Error);
  CHECK_THROWS_WITH_AS(parse_shapes({"x"}), doctest::Contains("must be like"), Error);
  CHECK_THROWS_WITH_AS(parse_shapes({"x=1x0"}), doctest::Contains("\"x=1x0\""), Error);
}

TEST_CASE("onnx: half a file, and none, are refused with their name") {
  Model model("x", {1, 8, 20, 20});
  add_conv(model, "x");
  const TemporaryFolder folder;
  const std::string path = folder / "half.onnx", bytes = model.bytes();
  std::ofstream(path, std::ios::binary) << bytes.substr(0, bytes.size() / 2);
  CHECK_THROWS_WITH_AS(read_onnx(path, {}), doctest::Contains("half.onnx: not an ONNX model"),
                       Error);
  CHECK_THROWS_WITH_AS(read_onnx(folder / "none.onnx", {}), doctest::Contains("cannot be read"),
                       Error);
}
