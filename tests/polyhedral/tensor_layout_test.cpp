// SPDX-License-Identifier: Apache-2.0
// This test checks the addresses of elements in plain, channels-last and blocked layouts, and which
// lists of parts cut a block of channels.
#include <doctest/doctest.h>

#include <set>

#include "computation.h"
#include "shared_problems.h"
#include "tileplan/error.h"

using namespace tileplan;
using test::grouped_conv;

namespace {

constexpr auto kInput = Operand::input, kOutput = Operand::output;

std::int64_t offset(const TensorLayout& layout, const std::vector<std::int64_t>& indices) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < indices.size(); ++i) sum += layout.axes[i].offset(indices[i]);
  return sum;
}

std::set<std::int64_t> offsets(const TensorAccess& access, const TensorLayout& layout) {
  std::set<std::int64_t> sums = {0};
  for (std::size_t i = 0; i < access.data.size(); ++i) {
    std::set<std::int64_t> wider;
    for (const std::int64_t sum : sums)
      for (std::int64_t at = 0; at < access.data[i].extent; ++at)
        wider.insert(sum + layout.axes[i].offset(at));
    sums = std::move(wider);
  }
  return sums;
}

}  // namespace

TEST_CASE("layout: plain gemm operands have the leading dimensions of the problem") {
  const Computation gemm = computation_of(parse_gemm("b2m4n6k3lda5ldb7ldc8"));
  const TensorLayout a = layout_of(gemm, kInput, Layout::plain);
  CHECK(offset(a, {1, 3, 2}) == 1 * 4 * 5 + 3 * 5 + 2);
  CHECK(a.elements == 2 * 4 * 5);
  CHECK(offset(layout_of(gemm, Operand::weights, Layout::plain), {1, 2, 5}) ==
        1 * 3 * 7 + 2 * 7 + 5);
  CHECK(offset(layout_of(gemm, kOutput, Layout::plain), {0, 3, 5}) == 3 * 8 + 5);
}

TEST_CASE("layout: weights of a convolution are oihw, groups outermost") {
  ConvShape shape = grouped_conv(2, 3);
  shape.width = {.in = 5, .out = 4, .filter = 2};
  const Computation conv = computation_of(shape);
  const TensorLayout weights = layout_of(conv, Operand::weights, Layout::plain);
  CHECK(offset(weights, {1, 2, 1, 0, 1}) == ((1 * 4 + 2) * 3 + 1) * 2 + 1);
  CHECK(weights.elements == 2 * 4 * 3 * 2);
}

TEST_CASE("layout: nhwc keeps the channels of all groups together") {
  const Computation conv = computation_of(grouped_conv(2, 3));
  const TensorLayout in = layout_of(conv, kInput, Layout::nhwc);
  // The element is in image 1, channel 1 * 3 + 2 of 6, row 1 of 2, column 4 of 5.
  CHECK(offset(in, {1, 1, 2, 1, 4}) == ((1 * 2 + 1) * 5 + 4) * 6 + 5);
  CHECK(in.elements == 2 * 2 * 5 * 6);
}

TEST_CASE("layout: nchw is plain") {
  const Computation conv = computation_of(grouped_conv(2, 3));
  const TensorLayout in = layout_of(conv, kInput, Layout::nchw);
  CHECK(in == layout_of(conv, kInput, Layout::plain));
  CHECK(offset(in, {1, 1, 2, 1, 4}) == ((1 * 6 + 5) * 2 + 1) * 5 + 4);
}

TEST_CASE("layout: the last channel block is padded") {
  const Computation conv = computation_of(grouped_conv(1, 20));
  const TensorLayout in = layout_of(conv, kInput, Layout::nChw16c);
  // The element is in image 1, block 1 of 2, row 1, column 4, lane 3.
  CHECK(offset(in, {1, 0, 19, 1, 4}) == (((1 * 2 + 1) * 2 + 1) * 5 + 4) * 16 + 3);
  CHECK(in.elements == 2 * 32 * 2 * 5);
  CHECK(layout_of(conv, kInput, Layout::nChw8c).elements == 2 * 24 * 2 * 5);
}

TEST_CASE("layout: groups are whole blocks, or blocks are whole groups") {
  const Computation whole = computation_of(grouped_conv(2, 32));
  // Channel 32 + 17 is lane 1 of block 3.
  CHECK(offset(layout_of(whole, kInput, Layout::nChw16c), {0, 1, 17, 1, 4}) ==
        ((3 * 2 + 1) * 5 + 4) * 16 + 1);
  const Computation depthwise = computation_of(grouped_conv(20, 1));
  // Channel 17 is lane 1 of block 1.
  CHECK(offset(layout_of(depthwise, kInput, Layout::nChw16c), {0, 17, 0, 1, 4}) ==
        ((1 * 2 + 1) * 5 + 4) * 16 + 1);
  const Computation pairs = computation_of(grouped_conv(9, 2));
  // The channel is 8 * 2 + 1 = 17.
  CHECK(offset(layout_of(pairs, kInput, Layout::nChw16c), {0, 8, 1, 1, 4}) ==
        ((1 * 2 + 1) * 5 + 4) * 16 + 1);
  CHECK_THROWS_WITH_AS(layout_of(computation_of(grouped_conv(2, 24)), kInput, Layout::nChw16c),
                       "layout: nChw16c with 2 groups of 24 channels; the channels of a group must "
                       "be a multiple or a divisor of 16",
                       Error);
}

TEST_CASE("layout: a list of blocks cuts a block of channels in which a part begins") {
  const Computation conv = computation_of(grouped_conv(6, 4));
  const TensorLayout in = layout_of(conv, kInput, Layout::nChw16c);
  const auto cut = [&](const std::vector<Part>& parts) {
    return cut_block(conv, kInput, in, conv.dim("g"), parts);
  };
  CHECK(!cut({{4, 1}, {2, 1}}));             // The second part begins with channel 16.
  CHECK(!cut({{1, 1}, {3, 1}}));             // Both parts are inside one block.
  const auto third = cut({{2, 1}, {2, 2}});  // The second part begins with channel 8.
  REQUIRE(third);
  CHECK(third->elements == 4);  // The index counts groups, and a block holds four.
  CHECK(third->points == 4);
}

TEST_CASE("layout: no two elements share a place and none is outside the buffer") {
  for (const std::int64_t channels : {1, 2, 8, 16, 32})
    for (const std::int64_t groups : {1, 3, 10})
      for (const Layout layout : {Layout::nhwc, Layout::nchw, Layout::nChw16c, Layout::nChw8c}) {
        CAPTURE(channels);
        CAPTURE(groups);
        CAPTURE(to_string(layout));
        const Computation conv = computation_of(grouped_conv(groups, channels));
        const TensorLayout in = layout_of(conv, kInput, layout);
        const std::set<std::int64_t> places = offsets(conv.tensor(kInput), in);
        CHECK(static_cast<std::int64_t>(places.size()) == 2 * groups * channels * 2 * 5);
        CHECK(*places.rbegin() < in.elements);
      }
}

TEST_CASE("layout: only activations of convolutions have channels to reorder") {
  const char* const rule = "must be plain, other layouts are of the activations of a convolution";
  CHECK_THROWS_WITH_AS(layout_of(computation_of(test::product()), kInput, Layout::nhwc),
                       (std::string("layout: A is nhwc; ") + rule).c_str(), Error);
  CHECK_THROWS_WITH_AS(
      layout_of(computation_of(grouped_conv(1, 3)), Operand::weights, Layout::nchw),
      (std::string("layout: Ker is nchw; ") + rule).c_str(), Error);
}
