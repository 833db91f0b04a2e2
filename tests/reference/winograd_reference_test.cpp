// SPDX-License-Identifier: Apache-2.0
// This test checks that Winograd convolutions are exact in fractions, and that their errors in f32
// stay under the bounds.
#include "winograd_reference.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "close_to.h"
#include "elements.h"
#include "tileplan/error.h"
#include "winograd_points.h"

using namespace tileplan;

namespace {

/// Holds the random tensors of one convolution.
struct Case {
  Computation computation;
  TensorLayout input_layout, weights_layout, output_layout;
  std::vector<float> input, weights;

  explicit Case(const ConvShape& shape, Layout layout = Layout::nhwc)
      : computation(computation_of(shape)),
        input_layout(layout_of(computation, Operand::input, layout)),
        weights_layout(layout_of(computation, Operand::weights, Layout::plain)),
        output_layout(layout_of(computation, Operand::output, layout)),
        input(static_cast<std::size_t>(input_layout.elements)),
        weights(static_cast<std::size_t>(weights_layout.elements)) {
    fill_random(input, 1);
    fill_random(weights, 2);
  }

  void round_to_integers() {
    for (std::vector<float>* values : {&input, &weights})
      for (float& value : *values) value = std::round(9 * value);
  }

  Operands operands() const { return {{input, input_layout}, {weights, weights_layout}}; }
  std::vector<double> exact() const { return reference(computation, operands(), output_layout); }
  template <class Number>
  std::vector<Number> result(const WinogradTile& tile) const {
    return winograd_reference<Number>(computation, operands(), output_layout, tile);
  }
};

/// Returns the size F(outputs, taps) of a random Winograd algorithm for a direction with `taps`
/// taps.
WinogradSize random_size(std::int64_t taps, std::mt19937& random) {
  if (taps == 1) return {1, 1};
  std::vector<WinogradSize> sizes = winograd_sizes();
  std::erase_if(sizes, [&](const WinogradSize& size) { return size.taps != taps; });
  return sizes[random() % sizes.size()];
}

Axis random_axis(std::int64_t taps, std::mt19937& random) {
  const auto below = [&](std::uint32_t limit) {
    return static_cast<std::int64_t>(random() % limit);
  };
  Axis axis{.in = taps + below(12), .filter = taps, .pad_before = below(4)};
  axis.pad_after = std::min(axis.pad_before, taps - 1);
  axis.pad_before = axis.pad_after;
  axis.out = axis.in + axis.pad_before + axis.pad_after - taps + 1;
  return axis;
}

ConvShape random_shape(std::mt19937& random) {
  const auto below = [&](std::uint32_t limit) {
    return static_cast<std::int64_t>(random() % limit);
  };
  ConvShape shape{.n = 1 + below(2), .g = 1 + below(2)};
  shape.c = shape.g * (1 + below(20));
  shape.k = shape.g * (1 + below(5));
  shape.height = random_axis(1 + below(7), random);
  shape.width = random_axis(shape.height.filter == 1 ? 2 + below(6) : 1 + below(7), random);
  return shape;
}

/// Returns a random layout that the input and the output can have.
Layout random_layout(const ConvShape& shape, std::mt19937& random) {
  const Computation computation = computation_of(shape);
  std::vector<Layout> layouts = {Layout::nhwc, Layout::nchw, Layout::nChw16c, Layout::nChw8c};
  std::erase_if(layouts, [&](Layout layout) {
    return !why_no_layout(computation, Operand::input, layout).empty() ||
           !why_no_layout(computation, Operand::output, layout).empty();
  });
  return layouts[random() % layouts.size()];
}

/// Returns the largest ratio of an error to its limit.
double worst(const std::vector<float>& got, const std::vector<double>& exact,
             const std::vector<double>& limits) {
  double largest = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double error = test::element_error(got[i], exact[i]);
    if (error > 0) largest = std::max(largest, error / limits[i]);
  }
  return largest;
}

}  // namespace

TEST_CASE("every F in use computes integer convolutions exactly in fractions") {
  for (const WinogradSize size : winograd_sizes()) {
    CAPTURE(size.outputs);
    CAPTURE(size.taps);
    const std::int64_t out = 2 * size.outputs + 1, taps = size.taps;
    const Axis axis{.in = out,
                    .out = out,
                    .filter = taps,
                    .pad_before = taps / 2,
                    .pad_after = taps - 1 - taps / 2};
    Case square({.c = 2, .k = 2, .height = axis, .width = axis});
    square.round_to_integers();
    const WinogradTile tile{winograd_of(size), winograd_of(size)};
    CHECK(std::ranges::equal(square.result<Rational>(tile), square.exact()));
    Case row({.g = 2, .c = 4, .k = 2, .width = axis});
    row.round_to_integers();
    CHECK(std::ranges::equal(row.result<Rational>({winograd_of({1, 1}), winograd_of(size)}),
                             row.exact()));
  }
}

TEST_CASE("height and width may have different tiles and filters") {
  Case shape(parse_conv("mb1ic3ih9iw10oc2kh5kw3ph2pw1oh9ow10"));
  shape.round_to_integers();
  CHECK(std::ranges::equal(shape.result<Rational>({winograd_of({2, 5}), winograd_of({4, 3})}),
                           shape.exact()));
}

TEST_CASE("errors of f32 stay under the certified bound, and under 4 deviations") {
  std::mt19937 random(7);
  double bounds = 0, deviations = 0;
  for (int round = 0; round < 250; ++round) {
    const ConvShape shape = random_shape(random);
    CAPTURE(to_string(shape));
    const Case one(shape, random_layout(shape, random));
    const WinogradTile tile{winograd_of(random_size(shape.height.filter, random)),
                            winograd_of(random_size(shape.width.filter, random))};
    const std::vector<float> got = one.result<float>(tile);
    const WinogradErrors errors =
        winograd_errors(one.computation, one.operands(), one.output_layout, tile);
    const std::vector<double> exact = one.exact();
    bounds = std::max(bounds, worst(got, exact, errors.bound));
    deviations = std::max(deviations, worst(got, exact, errors.deviation));
  }
  CHECK(bounds < 1);
  CHECK(deviations < kMostDeviations);
  // The largest error exceeds an eighth of the limit. A much larger limit would accept wrong
  // kernels.
  CHECK(deviations > 0.5);
}

TEST_CASE("F(2,2): one input of 1 and one tap of 1 make 1 + 1 + n_B + n_A = 6 roundings") {
  Case one({.width = {.in = 2, .out = 1, .filter = 2}});
  one.input = {1, 0};
  one.weights = {1, 0};
  const WinogradErrors errors = winograd_errors(one.computation, one.operands(), one.output_layout,
                                                {winograd_of({1, 1}), winograd_of({2, 2})});
  CHECK(errors.bound[0] == close_to(6 * 0x1p-24));
}

TEST_CASE("tiles for other filters, and problems that Winograd cannot compute, are errors") {
  const Case three(
      {.height = {.in = 5, .out = 3, .filter = 3}, .width = {.in = 5, .out = 3, .filter = 3}});
  CHECK_THROWS_WITH_AS(three.result<float>({winograd_of({2, 5}), winograd_of({4, 3})}),
                       "winograd: the tile is for 5 x 3 taps; must be for 3 x 3", Error);
  const Case stride(parse_conv("ic3ih9oc2kh3sh2ph1"));
  CHECK_THROWS_WITH_AS(stride.result<float>({winograd_of({2, 3}), winograd_of({2, 3})}),
                       "winograd: the height's stride is 2; must be 1", Error);
}
