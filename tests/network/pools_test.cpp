// SPDX-License-Identifier: Apache-2.0
// This test compares pools in all layouts with plain loops.
#include <doctest/doctest.h>

#include <cmath>

#include "fast_operators.h"
#include "plain_graph.h"
#include "small_networks.h"

using namespace tileplan;
using namespace tileplan::test;

namespace {

/// Returns `count` numbers that are not sorted.
std::vector<float> mixed_numbers(std::int64_t count) {
  std::vector<float> numbers;
  for (std::int64_t i = 0; i < count; ++i)
    numbers.push_back(static_cast<float>((i * 7919 + 13) % 1009 - 504) / 64);
  return numbers;
}

/// Returns `numbers`, a tensor of `shape` in the layout `from`, in the layout `to`.
std::vector<float> converted(const std::vector<float>& numbers, const Extents& shape, Layout from,
                             Layout to) {
  std::vector<float> result(numbers.size());
  const float* in = numbers.data();
  float* out = result.data();
  conversion_of(shape, from, to)({&in, &out});
  return result;
}

/// Computes the only node of `graph` in `layout`, and returns its output in nchw.
std::vector<float> pooled(const Graph& graph, const std::vector<float>& input, Layout layout) {
  const NodeView node(graph, graph.nodes[0]);
  const std::vector<float> image = converted(input, node.shape(0), Layout::nchw, layout);
  std::vector<float> output(static_cast<std::size_t>(elements_of(node.out_shape())));
  const float* in = image.data();
  float* out = output.data();
  pool_operation(node, layout)({&in, &out});
  return converted(output, node.out_shape(), layout, Layout::nchw);
}

/// Makes a graph of one pool of two images of 9 x 11 pixels.
Graph pool_graph(const std::string& kind, std::int64_t channels, const Attributes& attributes) {
  Graph graph{.name = "pool"};
  graph.output(graph.node(kind, {graph.input("image", {2, channels, 9, 11})}, attributes));
  return graph;
}

std::vector<Layout> layouts_for(std::int64_t channels) {
  std::vector<Layout> layouts{Layout::nchw, Layout::nhwc};
  if (channels % 16 == 0) layouts.push_back(Layout::nChw16c);
  if (channels % 8 == 0) layouts.push_back(Layout::nChw8c);
  return layouts;
}

const std::vector<Attributes> kWindows = {
    {{"kernel_shape", Integers{3, 3}}, {"strides", Integers{2, 2}}},
    {{"kernel_shape", Integers{3, 2}}, {"pads", Integers{2, 1, 0, 1}}},
    {{"kernel_shape", Integers{3, 3}}, {"pads", Integers{1, 1, 1, 1}}, {"strides", Integers{1, 3}}},
    {{"kernel_shape", Integers{2, 3}},
     {"dilations", Integers{3, 2}},
     {"pads", Integers{2, 2, 2, 2}}},
    // In the next entry, the padding is no multiple of the dilation. In the last one, some windows
    // lie in the padding alone.
    {{"kernel_shape", Integers{2, 3}},
     {"dilations", Integers{1, 2}},
     {"pads", Integers{0, 1, 0, 1}}},
    {{"kernel_shape", Integers{1, 2}}, {"pads", Integers{0, 2, 0, 2}}}};

}  // namespace

TEST_CASE("pools: all layouts, windows and numbers of channels equal plain loops") {
  for (const std::string kind : {"MaxPool", "AveragePool"})
    for (const std::int64_t channels : {1, 3, 8, 10, 16, 24, 37, 48, 600, 1400})
      for (std::size_t w = 0; w < kWindows.size(); ++w) {
        if (kind == "AveragePool" && kWindows[w].contains("dilations")) continue;
        const Graph graph = pool_graph(kind, channels, kWindows[w]);
        const NodeView node(graph, graph.nodes[0]);
        const std::vector<float> input = mixed_numbers(elements_of(node.shape(0)));
        const std::vector<float> expected = plain_pool(node, input);
        for (const Layout layout : layouts_for(channels)) {
          CAPTURE(kind);
          CAPTURE(channels);
          CAPTURE(w);
          CAPTURE(to_string(layout));
          const std::vector<float> found = pooled(graph, input, layout);
          REQUIRE(found.size() == expected.size());
          for (std::size_t i = 0; i < found.size(); ++i) {
            // A window in the padding alone has the maximum -inf, and the mean NaN.
            const bool is_equal =
                found[i] == expected[i] || (std::isnan(found[i]) && std::isnan(expected[i]));
            if (!is_equal) REQUIRE(std::abs(found[i] - expected[i]) <= 1e-5F);
          }
        }
      }
}

TEST_CASE("pools: the maximum of a window with NaN is NaN in all layouts") {
  const Graph graph = pool_graph("MaxPool", 16, kWindows[0]);
  const NodeView node(graph, graph.nodes[0]);
  std::vector<float> input = mixed_numbers(elements_of(node.shape(0)));
  input[0] = std::nanf("");    // This is the first tap of the first window.
  input[123] = std::nanf("");  // This is the last tap of the first window of channel 1.
  for (const Layout layout : layouts_for(16)) {
    CAPTURE(to_string(layout));
    const std::vector<float> found = pooled(graph, input, layout);
    CHECK(std::isnan(found[0]));
    CHECK(std::isnan(found[20]));  // Each channel has 4 x 5 outputs.
    CHECK_FALSE(std::isnan(found[40]));
  }
}
