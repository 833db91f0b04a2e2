// SPDX-License-Identifier: Apache-2.0
// This test checks that Graph::node() refuses attributes that would have no effect.
#include <doctest/doctest.h>

#include "error_of.h"
#include "operators.h"
#include "small_networks.h"

using namespace tileplan;
using namespace tileplan::test;

namespace {

/// Returns the error of a 3x3 convolution with these attributes, or an empty text.
std::string error_of_conv(const Attributes& attributes) {
  Graph graph;
  const int image = graph.input("image", {1, 4, 8, 8});
  const int weights = random_constant(graph, "weights", {8, 4, 3, 3});
  return error_of([&] { graph.node("Conv", {image, weights}, attributes, "first"); });
}

}  // namespace

TEST_CASE("built nodes: an attribute that the operator does not have is refused") {
  const std::string rule = "; must be auto_pad, dilations, group, kernel_shape, pads or strides";
  CHECK(error_of_conv({{"padz", Integers{1, 1, 1, 1}}}) ==
        "node first: Conv has no attribute \"padz\"" + rule);
  CHECK(error_of_conv({{"stride", Integers{2, 2}}}) ==
        "node first: Conv has no attribute \"stride\"" + rule);
  CHECK(error_of_conv({{"strides", Integers{2, 2}}, {"pads", Integers{1, 1, 1, 1}}}).empty());
  Graph graph;
  const int x = graph.input("x", {2, 3});
  CHECK(error_of([&] {
          graph.node("Relu", {x}, {{"alpha", 0.5}}, "r");
        }) == "node r: Relu has no attribute \"alpha\"; must have no attributes");
  CHECK(error_of([&] {
          graph.node("Flatten", {x}, {{"axes", std::int64_t{1}}}, "f");
        }) == "node f: Flatten has no attribute \"axes\"; must be axis");
  CHECK(error_of([&] {
          graph.node("Nonsense", {x}, {{"axes", std::int64_t{1}}}, "n");
        }) == "node n: tileplan knows no operator Nonsense; it must be understood");
}

TEST_CASE("built nodes: nodes that are added from files may have other attributes") {
  Graph graph;
  const int x = graph.input("x", {2, 3});
  const int y =
      add_node(graph, {.name = "r", .kind = "Relu", .inputs = {x}, .attributes = {{"alpha", 0.5}}});
  CHECK(*graph.values.at(static_cast<std::size_t>(y)).shape == Integers{2, 3});
}

TEST_CASE("built nodes: kernel_shape must be that of the weights") {
  CHECK(error_of_conv({{"kernel_shape", Integers{3, 3}}}).empty());
  CHECK(error_of_conv({{"kernel_shape", Integers{5, 5}}}) ==
        "node first: kernel_shape is 5x5; must be 3x3 like the weights");
  CHECK(error_of_conv({{"kernel_shape", Integers{3}}}) ==
        "node first: kernel_shape has 1 numbers; must have 2");
}
