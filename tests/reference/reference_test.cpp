// SPDX-License-Identifier: Apache-2.0
// This test compares the reference with a loop nest, and tests the choice of outputs, comparisons
// and buffers.
#include "reference.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "buffers.h"
#include "close_to.h"
#include "compare.h"
#include "elements.h"
#include "plain_conv.h"
#include "tileplan/error.h"

using namespace tileplan;

namespace {

std::vector<float> random_values(std::size_t count, std::uint64_t seed) {
  std::vector<float> values(count);
  fill_random(values, seed);
  return values;
}

/// Holds one convolution with random tensors. The input and the output have `layout`, and the
/// weights are plain.
struct Case {
  ConvShape shape;
  Computation computation;
  TensorLayout input_layout, weights_layout, output_layout;
  std::vector<float> plain_input, input, weights;

  Case(const std::string& text, Layout layout, std::uint64_t seed = 1)
      : shape(parse_conv(text)),
        computation(computation_of(shape)),
        input_layout(layout_of(computation, Operand::input, layout)),
        weights_layout(layout_of(computation, Operand::weights, Layout::plain)),
        output_layout(layout_of(computation, Operand::output, layout)) {
    const TensorLayout plain = layout_of(computation, Operand::input, Layout::nchw);
    plain_input = random_values(static_cast<std::size_t>(plain.elements), seed);
    weights = random_values(static_cast<std::size_t>(weights_layout.elements), seed + 1);
    input.resize(static_cast<std::size_t>(input_layout.elements));
    test::for_each_element(
        extents(Operand::input), input_layout,
        [&](std::size_t plain_at, std::size_t at) { input[at] = plain_input[plain_at]; });
  }

  Operands operands() const { return {{input, input_layout}, {weights, weights_layout}}; }

  std::vector<double> result() const { return reference(computation, operands(), output_layout); }

  std::vector<double> plain_result() const {
    const std::vector<double> laid_out = result();
    std::vector<double> plain(
        static_cast<std::size_t>(shape.n * shape.k * shape.height.out * shape.width.out));
    test::for_each_element(
        extents(Operand::output), output_layout,
        [&](std::size_t plain_at, std::size_t at) { plain[plain_at] = laid_out[at]; });
    return plain;
  }

  std::vector<std::int64_t> extents(Operand operand) const {
    std::vector<std::int64_t> sizes;
    for (const DataDim& data : computation.tensors[static_cast<std::size_t>(operand)].data)
      sizes.push_back(data.extent);
    return sizes;
  }
};

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, test::element_error(a[i], b[i]));
  return largest;
}

/// Sums in different orders differ by a few roundings of a double.
constexpr double kDoubleRounding = 1e-12;

bool contains(const std::vector<OutputPoint>& points, const Computation& computation,
              const std::vector<std::pair<std::string, std::int64_t>>& iterators) {
  return std::any_of(points.begin(), points.end(), [&](const OutputPoint& point) {
    return std::all_of(iterators.begin(), iterators.end(), [&](const auto& iterator) {
      return point.iterators[computation.dim(iterator.first)] == iterator.second;
    });
  });
}

}  // namespace

TEST_CASE("reference: three ones over 1 2 3 4 with a zero on both sides give 3 6 9 7") {
  const ConvShape shape = parse_conv("mb1ic1ih1iw4oc1oh1ow4kh1kw3ph0pw1");
  const Computation row = computation_of(shape);
  const std::vector<float> input = {1, 2, 3, 4}, weights = {1, 1, 1};
  const Operands operands{{input, layout_of(row, Operand::input, Layout::nchw)},
                          {weights, layout_of(row, Operand::weights, Layout::plain)}};
  const std::vector<double> output =
      reference(row, operands, layout_of(row, Operand::output, Layout::nchw));
  CHECK(output == std::vector<double>{3, 6, 9, 7});
}

TEST_CASE("reference: equals a loop nest for strides, dilation, padding, groups and odd sizes") {
  for (const char* text :
       {"mb1ic3ih9oc33oh9kh3ph1", "mb2ic5ih8oc7oh4kh3sh2ph1", "mb1ic16ih7oc70oh7kh1ph0",
        "mb1ic4ih11iw6oc8oh7ow4kh3kw3dh1ph0pw1", "g2mb1ic32ih5oc32oh5kh3ph1",
        "g6mb2ic6ih6oc6oh6kh3ph1", "mb1ic40ih1oc1oh1kh1ph0", "g4mb1ic16ih10oc8oh4kh5sh2ph1"}) {
    for (const Layout layout : {Layout::nchw, Layout::nhwc, Layout::nChw16c, Layout::nChw8c}) {
      CAPTURE(text);
      CAPTURE(to_string(layout));
      const Case conv(text, layout);
      const std::vector<double> expected =
          test::plain_conv(conv.shape, conv.plain_input, conv.weights);
      CHECK(largest_difference(conv.plain_result(), expected) < kDoubleRounding);
    }
  }
}

TEST_CASE("reference: equals a loop nest on random shapes") {
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto draw = [&](int low, int high) {
    return std::to_string(std::uniform_int_distribution<int>(low, high)(random));
  };
  for (int i = 0; i < 20; ++i) {
    const std::string text = "mb" + draw(1, 2) + "ic" + draw(1, 20) + "ih" + draw(3, 12) + "iw" +
                             draw(3, 40) + "oc" + draw(1, 70) + "kh" + draw(1, 3) + "kw" +
                             draw(1, 3) + "sh" + draw(1, 2) + "sw" + draw(1, 2) + "ph" +
                             draw(0, 1) + "pw" + draw(0, 1);
    CAPTURE(text);
    const Case conv(text, Layout::nhwc, seed);
    const std::vector<double> expected =
        test::plain_conv(conv.shape, conv.plain_input, conv.weights);
    CHECK(largest_difference(conv.plain_result(), expected) < kDoubleRounding);
  }
}

TEST_CASE("reference: a 2x2 product with gaps between rows leaves the gaps 0") {
  const Computation gemm = computation_of(parse_gemm("m2n2k2lda3ldb4ldc3"));
  const std::vector<float> a = {1, 2, 9, 3, 4, 9}, b = {5, 6, 9, 9, 7, 8, 9, 9};
  const Operands operands{{a, layout_of(gemm, Operand::input, Layout::plain)},
                          {b, layout_of(gemm, Operand::weights, Layout::plain)}};
  const std::vector<double> c =
      reference(gemm, operands, layout_of(gemm, Operand::output, Layout::plain));
  CHECK(c == std::vector<double>{19, 22, 0, 43, 50, 0});
}

TEST_CASE("reference: an operand of the wrong size is named") {
  const Case conv("mb1ic3ih4oc4oh4kh3ph1", Layout::nchw);
  Operands operands = conv.operands();
  operands.input.values = std::get<std::span<const float>>(operands.input.values).first(10);
  CHECK_THROWS_WITH_AS(reference(conv.computation, operands, conv.output_layout),
                       "reference: In has 10 elements; its layout needs 48", Error);
}

TEST_CASE("expected_at: equals the reference at every chosen output") {
  for (const char* text : {"mb1ic19ih20oc40oh20kh3ph1", "g16mb1ic16ih24oc16oh24kh3ph1"}) {
    CAPTURE(text);
    const Case conv(text, Layout::nChw16c);
    const std::vector<OutputPoint> points =
        choose_outputs(conv.computation, conv.output_layout, {}, {.count = 500});
    const std::vector<double> some = expected_at(conv.computation, conv.operands(), points);
    const std::vector<double> all = conv.result();
    for (std::size_t i = 0; i < points.size(); ++i)
      CHECK(some[i] == close_to(all[points[i].offset]).epsilon(kDoubleRounding));
  }
}

TEST_CASE("choose_outputs: all outputs when there are no more than asked for") {
  const Case conv("mb1ic3ih8oc16oh8kh3ph1", Layout::nhwc);
  CHECK(choose_outputs(conv.computation, conv.output_layout, {}, {.count = 1024}).size() == 1024);
}

TEST_CASE(
    "choose_outputs: corners, borders and both sides of tile starts come before random ones") {
  const Case conv("mb1ic3ih200oc64oh200kh3ph1", Layout::nhwc);
  const Computation& computation = conv.computation;
  TileStarts starts;
  starts[computation.dim("h")] = tile_starts(200, 7);
  const auto points = choose_outputs(computation, conv.output_layout, starts, {.count = 4096});
  CHECK(points.size() == 4096);
  for (const std::int64_t h : {0, 199})
    for (const std::int64_t w : {0, 199})
      for (const std::int64_t k : {0, 63})
        CHECK(contains(points, computation, {{"h", h}, {"w", w}, {"k", k}}));
  for (std::int64_t start = 7; start < 200; start += 7) {
    CHECK(contains(points, computation, {{"h", start - 1}}));
    CHECK(contains(points, computation, {{"h", start}}));
  }
  // Along h, 58 of the 200 indices are starts or ends of tiles. Random outputs alone would have
  // some 1200 of the 4096 points there.
  const auto on_start = std::count_if(points.begin(), points.end(), [&](const OutputPoint& point) {
    const std::int64_t h = point.iterators[computation.dim("h")];
    return h % 7 == 0 || h % 7 == 6 || h == 199;
  });
  CHECK(on_start > 2800);
}

TEST_CASE("choose_outputs: different places, sorted, the same for the same seed") {
  const Case conv("mb1ic3ih40oc64oh40kh3ph1", Layout::nhwc);
  const auto chosen = [&](std::uint64_t seed) {
    std::vector<std::size_t> offsets;
    for (const OutputPoint& point :
         choose_outputs(conv.computation, conv.output_layout, {}, {.count = 5000, .seed = seed}))
      offsets.push_back(point.offset);
    return offsets;
  };
  const std::vector<std::size_t> first = chosen(1);
  CHECK(std::adjacent_find(first.begin(), first.end(), std::greater_equal<>()) == first.end());
  CHECK(first == chosen(1));
  CHECK(first != chosen(2));
}

TEST_CASE("tolerance: 4 epsilon sqrt(reduction) times the largest value") {
  const Computation computation = computation_of(parse_conv("mb1ic16ih4oc4oh4kh1ph0"));
  CHECK(reduction_length(computation) == 16);
  CHECK(tolerance(computation, 2.0) ==
        close_to(4 * 4 * 2.0 * std::numeric_limits<float>::epsilon()));
  // A small sum gets the tolerance of a typical sum, whose root mean square is 4 / 3.
  CHECK(tolerance(computation, 0.01) ==
        close_to(4 * 4 * 4.0 / 3 * std::numeric_limits<float>::epsilon()));
}

TEST_CASE("compare: rounded results pass, one wrong element fails and is named") {
  const Case conv("mb1ic8ih6oc20oh6kh3ph1", Layout::nChw16c);
  const std::vector<double> expected = conv.result();
  std::vector<float> got(expected.begin(), expected.end());
  CHECK(compare(conv.computation, conv.output_layout, got, expected).passed());
  got[77] += 0.01F;
  const Check check = compare(conv.computation, conv.output_layout, got, expected);
  CHECK_FALSE(check.passed());
  CHECK(check.worst_index == 77);
  CHECK(check.got == got[77]);
  CHECK(check.compared == 32 * 36);
}

TEST_CASE("compare: a value in the padding of the last block fails") {
  const Case conv("mb1ic8ih6oc20oh6kh3ph1", Layout::nChw16c);
  const std::vector<double> expected = conv.result();
  std::vector<float> got(expected.begin(), expected.end());
  // The last element is in the padding, because it would be channel 31 and there are 20 channels.
  got.back() = 1;
  CHECK_FALSE(compare(conv.computation, conv.output_layout, got, expected).passed());
}

TEST_CASE("compare: not a number fails, wherever it is") {
  const Case conv("mb1ic8ih6oc16oh6kh3ph1", Layout::nhwc);
  const std::vector<double> expected = conv.result();
  for (const std::size_t at : {std::size_t{0}, std::size_t{300}, expected.size() - 1}) {
    std::vector<float> got(expected.begin(), expected.end());
    got[at] = std::numeric_limits<float>::quiet_NaN();
    const Check check = compare(conv.computation, conv.output_layout, got, expected);
    CHECK_FALSE(check.passed());
    CHECK(check.worst_index == at);
  }
}

TEST_CASE("compare: gaps between rows do not count") {
  const Computation gemm = computation_of(parse_gemm("m2n2k2ldc3"));
  const TensorLayout layout = layout_of(gemm, Operand::output, Layout::plain);
  const std::vector<double> expected = {19, 22, 0, 43, 50, 0};
  const std::vector<float> got = {19, 22, 7, 43, 50, 7};
  const Check check = compare(gemm, layout, got, expected);
  CHECK(check.passed());
  CHECK(check.compared == 4);
}

TEST_CASE("compare_at: compares the chosen places only") {
  const Case conv("mb1ic3ih64oc64oh64kh3ph1", Layout::nhwc);
  const auto points = choose_outputs(conv.computation, conv.output_layout, {}, {.count = 4096});
  const std::vector<double> all = conv.result();
  std::vector<double> expected;
  std::vector<float> got(all.size(), -100.0F);
  for (const OutputPoint& point : points) {
    expected.push_back(all[point.offset]);
    got[point.offset] = static_cast<float>(all[point.offset]);
  }
  CHECK(compare_at(conv.computation, points, got, expected).passed());
  got[points[1000].offset] = 100.0F;
  const Check check = compare_at(conv.computation, points, got, expected);
  CHECK_FALSE(check.passed());
  CHECK(check.worst_index == points[1000].offset);
}

TEST_CASE("compare_results: two tolerances apart pass, not a number fails") {
  const Computation sum = computation_of(parse_gemm("m1n2k4"));
  const float two = 16 * std::numeric_limits<float>::epsilon();
  const std::vector<float> one = {0, 1};
  CHECK(compare_results(sum, std::vector<float>{two, 1}, one).passed());
  const Check apart = compare_results(sum, std::vector<float>{1.1F * two, 1}, one);
  CHECK_FALSE(apart.passed());
  CHECK(apart.worst_index == 0);
  CHECK(compare_results(sum, std::vector<float>{1.1F * two, 1}, one, 2).passed());
  const std::vector<float> none = {0, std::numeric_limits<float>::quiet_NaN()};
  CHECK(compare_results(sum, none, one).worst_index == 1);
  CHECK_FALSE(compare_results(sum, none, one).passed());
}

TEST_CASE("buffers: aligned to pages, zeroed, filled with the same numbers from [-1, 1) per seed") {
  Buffer buffer(1000), large(600'000);
  CHECK(reinterpret_cast<std::uintptr_t>(buffer.data()) % 4096 == 0);
  CHECK(reinterpret_cast<std::uintptr_t>(large.data()) % (2 << 20) == 0);
  CHECK(std::all_of(large.data(), large.data() + large.size(), [](float x) { return x == 0; }));
  fill_random(large.span(), 7);
  const auto [low, high] = std::minmax_element(large.data(), large.data() + large.size());
  CHECK(*low >= -1);
  CHECK(*low < -0.999F);
  CHECK(*high < 1);
  CHECK(*high > 0.999F);
  double sum = 0;
  for (const float x : large.span()) sum += static_cast<double>(x);
  // The bound is a little above six standard deviations of the mean of n numbers, 6 / sqrt(3 n).
  CHECK(std::abs(sum / 600'000) < 0.005);
  fill_random(buffer.span(), 7);
  CHECK(std::equal(buffer.data(), buffer.data() + 1000, large.data()));
}

TEST_CASE("reference: sums of doubles keep what double sums would lose") {
  const Computation row = computation_of(parse_problem("--dt=f64 m1n1k3"));
  const std::vector<double> a{1e17, 1, -1e17}, b{1, 1, 1};
  const Operands operands{
      .input = {.values = a, .layout = layout_of(row, Operand::input, Layout::plain)},
      .weights = {.values = b, .layout = layout_of(row, Operand::weights, Layout::plain)}};
  CHECK(reference(row, operands, layout_of(row, Operand::output, Layout::plain)) ==
        std::vector<double>{1});
  CHECK(tolerance(row, 1) == close_to(4 * std::sqrt(3) * std::numeric_limits<double>::epsilon()));
}

TEST_CASE("buffers: doubles are drawn with all their bits") {
  Buffer buffer(100, ElementType::f64);
  fill_random(buffer, 1);
  for (const double value : buffer.span<double>()) {
    CHECK((value >= -1 && value < 1));
    CHECK(value != static_cast<double>(static_cast<float>(value)));
  }
}

TEST_CASE("outputs with tolerances of their own are judged by the largest share of a tolerance") {
  const Computation gemm = computation_of(parse_problem("m1n4k2"));
  const TensorLayout layout = layout_of(gemm, Operand::output, Layout::plain);
  const std::vector<double> expected = {1, 2, 3, 4}, tolerances = {1, 0.5, 0.25, 0};
  const auto check = [&](std::vector<float> got) {
    return compare_within(gemm, layout, std::span<const float>(got), expected, tolerances);
  };
  const Check close = check({1.5F, 2.0F, 3.1875F, 4.0F});
  CHECK(close.passed());
  CHECK(close.compared == 4);
  // The error 0.1875 is a larger share of the tolerance 0.25 than the error 0.5 is of the tolerance
  // 1.
  CHECK(close.worst_index == 2);
  CHECK(close.tolerance == 0.25);
  CHECK_FALSE(check({1, 2.75F, 3, 4}).passed());
  CHECK_FALSE(check({1, 2, 3, 4.5F}).passed());
  CHECK_FALSE(check({1, 2, std::numeric_limits<float>::quiet_NaN(), 4}).passed());
}

TEST_CASE("outputs with tolerances of their own: an infinity agrees with an equal one alone") {
  const Computation gemm = computation_of(parse_problem("m1n2k2"));
  const TensorLayout layout = layout_of(gemm, Operand::output, Layout::plain);
  constexpr float kInfinity32 = std::numeric_limits<float>::infinity();
  const std::vector<double> expected = {std::numeric_limits<double>::infinity(), 2};
  const std::vector<double> tolerances = {1, 1};
  for (const auto& [got, passes] :
       {std::pair{kInfinity32, true}, {-kInfinity32, false}, {3e38F, false}}) {
    const std::vector<float> values = {got, 2};
    CHECK(compare_within(gemm, layout, std::span<const float>(values), expected, tolerances)
              .passed() == passes);
  }
}
