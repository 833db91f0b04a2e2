// SPDX-License-Identifier: Apache-2.0
// This test compares error bounds and estimates with the values of known algorithms.
#include "winograd_error.h"

#include <doctest/doctest.h>

#include "close_to.h"
#include "winograd_points.h"

using namespace tileplan;

namespace {

WinogradTile square(WinogradSize size) { return {winograd_of(size), winograd_of(size)}; }

WinogradTile square(WinogradSize size, const std::vector<Rational>& values) {
  std::vector<WinogradPoint> points;
  points.reserve(values.size());
  for (const Rational& value : values) points.push_back({.value = value});
  const WinogradMatrices matrices = winograd_matrices(size.outputs, size.taps, points);
  return {matrices, matrices};
}

bool rounds_to(double value, double expected, double step) {
  return std::abs(value - expected) <= step / 2;
}

const Rational kHalf(1, 2);

}  // namespace

TEST_CASE("amplification of F(2,3): rows of G and B^T sum to 3/2 and 2, so (3 x 2 + 2)^2 / 9") {
  CHECK(amplification(square({2, 3})) == close_to(64.0 / 9));
}

TEST_CASE("amplification of other points") {
  CHECK(rounds_to(amplification(square({3, 3}, {kHalf, -kHalf, 3 * kHalf, -3 * kHalf})), 33, 1));
  CHECK(rounds_to(amplification(square({4, 3}, {0, kHalf, -kHalf, 2, -2})), 54, 1));
  CHECK(rounds_to(amplification(square({4, 3}, {0, 1, -1, 2, -2})), 256, 1));
  CHECK(rounds_to(amplification(square({6, 3})), 509, 1));
  CHECK(rounds_to(amplification(square({2, 5}, {0, kHalf, -kHalf, 2, -2})), 35, 1));
  CHECK(rounds_to(amplification(square({4, 5})), 301, 1));
  CHECK(rounds_to(amplification(square({2, 7})), 269, 1));
}

TEST_CASE("scales of rows change neither amplification nor growth") {
  const WinogradTile plain = square({4, 3}, {0, kHalf, -kHalf, 2, -2});
  CHECK(amplification(square({4, 3})) == close_to(amplification(plain)));
  CHECK(error_growth(square({4, 3})) == close_to(error_growth(plain)));
}

TEST_CASE("error growth of the points in use, of the usual points and of those of least error") {
  CHECK(rounds_to(error_growth(square({4, 3})), 2.29, 0.01));
  CHECK(rounds_to(error_growth(square({4, 3}, {0, 1, -1, 2, -2})), 3.59, 0.01));
  const Rational small(5, 8), large(3, 2);
  CHECK(rounds_to(error_growth(square({4, 3}, {0, small, -small, large, -large})), 1.59, 0.01));
  CHECK(rounds_to(error_growth(square({6, 3})), 6.88, 0.01));
}

TEST_CASE("roundings of both directions are 8 h + 2 for 0, h pairs of points and infinity") {
  const auto of_both = [](const WinogradTile& tile) {
    return error_factors(tile.height).roundings + error_factors(tile.width).roundings;
  };
  CHECK(of_both(square({2, 3})) == 10);
  CHECK(of_both(square({4, 3})) == 18);
  CHECK(of_both(square({6, 3})) == 26);
  // A direction with a filter of size one adds no rounding errors. F(4,3) adds 4 in the transform
  // of the input and 5 in that of the output. Each of these transforms adds one more if f32 rounds
  // an entry of its matrix.
  CHECK(of_both({winograd_of({1, 1}), winograd_of({4, 3})}) == 4 + 5);
  const Rational third(1, 3);
  CHECK(of_both(square({2, 3}, {0, third, -third})) == 10 + 2 * 2);
}

TEST_CASE("the relative bound of the identity is (C + 1) / C, and that of F(4,3) is below F(6,3)") {
  const WinogradTile identity{winograd_of({1, 1}), winograd_of({1, 1})};
  CHECK(relative_error_bound(identity, 64) == close_to(65.0 / 64));
  const double four = relative_error_bound(square({4, 3}), 64);
  CHECK(rounds_to(four, 53.78 * 83 / 576, 0.01));
  CHECK(four < relative_error_bound(square({6, 3}), 64) / 9);
}
