// SPDX-License-Identifier: Apache-2.0
// This test compares lower bounds with published values, schedules and exact segment bounds.
#include "bounds.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "capacity.h"
#include "close_to.h"
#include "footprint.h"
#include "movement.h"
#include "random_computation.h"

using namespace tileplan;

namespace {

// Compares `value` with the integer that a paper published. Rounding causes a difference of up to
// 0.5, and 0.1 more is allowed.
void check_value(double value, double printed) { CHECK(std::abs(value - printed) <= 0.5 + 0.1); }

// The capacities are in elements.
constexpr double kL1 = 8192, kL2 = 262144;

toy::Conv square(std::int64_t k, std::int64_t c, std::int64_t size, std::int64_t filter,
                 std::int64_t stride = 1) {
  return {.k = k, .c = c, .h = size, .w = size, .r = filter, .s = filter, .stride = stride};
}

}  // namespace

TEST_CASE("bounds: matrix product 1024^3") {
  const Computation product = toy::gemm({.i = 1024, .j = 1024, .k = 1024});
  const LowerBound small = lower_bound(product, kL1);
  CHECK(small.lb1 == close_to(std::pow(2, 31) / std::sqrt(kL1) - 2 * kL1));
  check_value(small.lb1, 23710182);
  check_value(small.lb2, 23724032);
  CHECK(small.compulsory == 3 * 1024 * 1024);
  CHECK(small.bound == small.lb2);
  const LowerBound large = lower_bound(product, kL2);
  check_value(large.lb1, 3670016);
  check_value(large.lb2, 4189905);
}

TEST_CASE("bounds: few outputs limit how many taps touch an element") {
  // There is one row of outputs, so only the three taps of one filter row read an input element.
  const Computation row = toy::conv({.k = 8, .c = 8, .h = 1, .w = 20, .r = 5, .s = 3});
  CHECK(sliding_reuse(row) == 1 * 3);
  // The taps that read one element belong to outputs that are two rows apart, and of 5 rows, at
  // most 3 are at such distances.
  const Computation dilated =
      toy::conv({.k = 8, .c = 8, .h = 5, .w = 20, .r = 5, .s = 3, .dilation = 2});
  CHECK(sliding_reuse(dilated) == 3 * 3);
}

TEST_CASE("bounds: convolution layers") {
  const LowerBound resnet_2 = lower_bound(toy::conv(square(64, 64, 56, 3)), kL1);
  check_value(resnet_2.lb1, 835131);
  check_value(resnet_2.lb2, 851310);
  CHECK(resnet_2.compulsory == 452864);

  const Computation yolo_8 = toy::conv(square(256, 128, 68, 3));
  check_value(lower_bound(yolo_8, kL1).lb1, 10028017);
  check_value(lower_bound(yolo_8, kL1).lb2, 10043392);
  CHECK(lower_bound(yolo_8, kL2).bound == 2105856);
  CHECK(lower_bound(yolo_8, kL2).compulsory == 2105856);

  const LowerBound resnet_7 = lower_bound(toy::conv(square(256, 128, 14, 3, 2)), kL1);
  check_value(resnet_7.lb1, 622252);
  check_value(resnet_7.lb2, 638482);

  const LowerBound yolo_19 = lower_bound(toy::conv(square(512, 1024, 17, 1)), kL1);
  check_value(yolo_19.lb1, 3331750);
  check_value(yolo_19.lb2, 3342533);
}

TEST_CASE("bounds: windows reuse taps of one residue class of the stride") {
  CHECK(sliding_reuse(toy::conv(square(8, 8, 8, 3))) == 9);
  CHECK(sliding_reuse(toy::conv(square(8, 8, 8, 3, 2))) == 4);
  CHECK(sliding_reuse(toy::conv(square(8, 8, 8, 3, 4))) == 1);
  toy::Conv dilated = square(8, 8, 8, 3, 2);
  // All taps may read the same input element, because the dilation is a multiple of the stride.
  dilated.dilation = 2;
  CHECK(sliding_reuse(toy::conv(dilated)) == 9);
  CHECK(sliding_reuse(toy::conv(square(8, 8, 8, 1, 2))) == 1);
  CHECK(sliding_reuse(toy::gemm({.b = 2, .i = 8, .j = 8, .k = 8})) == 1);
  CHECK(sliding_reuse(
            toy::conv3d({.k = 2, .c = 2, .d = 4, .h = 4, .w = 4, .t = 2, .r = 3, .s = 3})) == 18);
}

TEST_CASE("bounds: where the proof does not hold only the compulsory loads remain") {
  const Computation slides_on_output =
      toy::transposed_conv({.k = 4, .c = 4, .h = 8, .w = 8, .r = 3, .s = 3});
  CHECK_FALSE(sliding_reuse(slides_on_output).has_value());
  const LowerBound bound = lower_bound(slides_on_output, 16);
  CHECK(bound.lb1 == 0);
  CHECK(bound.lb2 == 0);
  CHECK(bound.bound == bound.compulsory);

  // If the last index of the weights is dropped, j does not occur in the weights.
  Computation row_scale = toy::gemm({.i = 8, .j = 8, .k = 8});
  row_scale.tensors[1].data.pop_back();
  set_roles(row_scale);
  CHECK_FALSE(sliding_reuse(row_scale).has_value());
}

TEST_CASE("bounds: a depthwise convolution must load its input, filters and output once") {
  const Computation depthwise = toy::conv({.g = 64, .h = 56, .w = 56, .r = 3, .s = 3});
  const LowerBound bound = lower_bound(depthwise, kL1);
  CHECK(bound.compulsory == 64 * (58 * 58 + 9 + 56 * 56));
  CHECK(bound.bound == bound.compulsory);
}

TEST_CASE("bounds: groups and batch count the whole problem") {
  const toy::Conv one = square(32, 32, 14, 3);
  toy::Conv two = one;
  two.g = 2;
  const LowerBound single = lower_bound(toy::conv(one), 1024);
  const LowerBound grouped = lower_bound(toy::conv(two), 1024);
  CHECK(grouped.compulsory == 2 * single.compulsory);
  CHECK(grouped.lb1 == close_to(2 * (single.lb1 + 2 * 1024) - 2 * 1024));
  CHECK(grouped.lb2 >= 2 * single.lb2);
}

namespace {

// Returns the largest bound (LB2) of models/README.md among all integer segment lengths.
double segment_bound_over_integers(const Computation& computation, std::int64_t capacity) {
  const Tile all = toy::whole(computation);
  double volume = 1, total = 0;
  std::array<double, 3> sizes{};
  for (const std::int64_t extent : computation.extents) volume *= static_cast<double>(extent);
  for (std::size_t t = 0; t < 3; ++t)
    total += sizes[t] = static_cast<double>(footprint(computation.tensors[t], all));
  std::sort(sizes.begin(), sizes.end());
  double best = 0;
  for (std::int64_t loads = 1; static_cast<double>(loads) < total; ++loads) {
    const auto elements = static_cast<double>(loads + capacity);
    const double a = std::min(sizes[0], elements / 3);
    const double b = std::min(sizes[1], (elements - a) / 2);
    const double c = std::min(sizes[2], elements - a - b);
    const double work = std::min(
        {volume, elements * elements / 4, std::sqrt(*sliding_reuse(computation) * a * b * c)});
    best = std::max(best, static_cast<double>(loads) * (std::ceil(volume / work) - 1));
  }
  return best;
}

}  // namespace

TEST_CASE("bounds: the grid of segment lengths stays just below the best integer length") {
  toy::for_trials(7, 60, [&](int trial, toy::Random& random) {
    const auto extent = [&] { return toy::uniform(random, 4, 20); };
    const Computation computation =
        trial % 2 == 0 ? toy::gemm({.b = 1, .i = extent(), .j = extent(), .k = extent()})
                       : toy::conv({.k = extent(),
                                    .c = extent(),
                                    .h = extent(),
                                    .w = extent(),
                                    .r = 3,
                                    .s = 3,
                                    .stride = 1 + trial % 3});
    const std::int64_t capacity = toy::uniform(random, 8, 300);
    const double exact = segment_bound_over_integers(computation, capacity);
    const double grid = lower_bound(computation, static_cast<double>(capacity)).lb2;
    CHECK(grid <= exact * (1 + 1e-9));
    CHECK(grid >= exact * 0.9);
  });
}

TEST_CASE("bounds: no tile and order of the model loads less") {
  toy::for_random_computations(11, 500, [&](const Computation& computation, toy::Random& random) {
    const Tile tile = toy::random_tile(computation, true, random);
    const auto loads =
        volumes(computation, toy::random_order(computation, random), tile, toy::whole(computation));
    const auto capacity = required(computation, tile, std::nullopt, CapacityRule::ideal);
    const double total = static_cast<double>(loads.values[0] + loads.values[1] + loads.values[2]);
    CHECK(lower_bound(computation, static_cast<double>(capacity)).bound <= total + 1e-6);
  });
}
