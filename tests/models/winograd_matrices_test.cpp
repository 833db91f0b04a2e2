// SPDX-License-Identifier: Apache-2.0
// This test checks that Winograd matrices compute correlations exactly, that the table of points is
// complete, and that wrong sizes and points are refused.
#include "winograd_matrices.h"

#include <doctest/doctest.h>

#include <random>
#include <string>

#include "tileplan/error.h"
#include "winograd_points.h"

using namespace tileplan;

namespace {

std::vector<WinogradPoint> points_of(const std::vector<Rational>& values) {
  std::vector<WinogradPoint> points;
  points.reserve(values.size());
  for (const Rational& value : values) points.push_back({.value = value});
  return points;
}

/// Returns `count` points at different fractions, with random scales.
std::vector<WinogradPoint> random_points(int count, std::mt19937& random) {
  std::uniform_int_distribution<int> numerator(-9, 9), denominator(1, 8);
  std::vector<WinogradPoint> points;
  while (static_cast<int>(points.size()) < count) {
    WinogradPoint next{.value = Rational(numerator(random), denominator(random)),
                       .input_scale = Rational(denominator(random), 3),
                       .output_scale = Rational(-denominator(random), 2)};
    bool is_new = true;
    for (const WinogradPoint& point : points) is_new = is_new && point.value != next.value;
    if (is_new) points.push_back(next);
  }
  return points;
}

Matrix<Rational> matrix(int rows, int columns, const std::vector<Rational>& values) {
  Matrix<Rational> result(rows, columns);
  result.values = values;
  return result;
}

}  // namespace

TEST_CASE("F(2,3) at 0, 1, -1 has the matrices of the literature up to signs of rows") {
  const WinogradMatrices two = winograd_matrices(2, 3, points_of({0, 1, -1}));
  const Rational half(1, 2);
  CHECK(two.weights.values ==
        matrix(4, 3, {-1, 0, 0, half, half, half, half, -half, half, 0, 0, 1}).values);
  CHECK(two.input.values ==
        matrix(4, 4, {-1, 0, 1, 0, 0, 1, 1, 0, 0, -1, 1, 0, 0, -1, 0, 1}).values);
  CHECK(two.output.values == matrix(2, 4, {1, 1, 1, 0, 0, 1, -1, 1}).values);
}

TEST_CASE("F(1,1) has no finite points and is the identity") {
  const WinogradMatrices one = winograd_of({1, 1});
  CHECK(one.weights.values == std::vector<Rational>{1});
  CHECK(one.input.values == std::vector<Rational>{1});
  CHECK(one.output.values == std::vector<Rational>{1});
}

TEST_CASE("every size up to 8 inputs computes correlations for random points and scales") {
  std::mt19937 random(1);
  for (int round = 0; round < 8; ++round)
    for (int outputs = 1; outputs <= kMostWinogradInputs; ++outputs)
      for (int taps = 1; outputs + taps - 1 <= kMostWinogradInputs; ++taps)
        CHECK(computes_correlation(
            winograd_matrices(outputs, taps, random_points(outputs + taps - 2, random))));
}

TEST_CASE("the table has each size of 2 and more outputs and taps, with transforms exact in f32") {
  int count = 0;
  for (const WinogradSize size : winograd_sizes()) {
    CAPTURE(size.outputs);
    CAPTURE(size.taps);
    const WinogradMatrices matrices = winograd_of(size);
    CHECK(computes_correlation(matrices));
    for (const Rational& value : matrices.input.values) CHECK(is_exact_float(value));
    for (const Rational& value : matrices.output.values) CHECK(is_exact_float(value));
    ++count;
  }
  CHECK(count == 6 + 5 + 4 + 3 + 2 + 1);
}

TEST_CASE("a wrong entry is no correlation") {
  WinogradMatrices two = winograd_of({2, 3});
  two.input.at(1, 2) += Rational(1, 1024);
  CHECK_FALSE(computes_correlation(two));
}

TEST_CASE("sizes and points that make no algorithm are errors") {
  const auto make = [](int outputs, int taps, const std::vector<Rational>& values) {
    return winograd_matrices(outputs, taps, points_of(values));
  };
  CHECK_THROWS_WITH_AS(make(0, 3, {}), "winograd: F(0, 3): both sizes must be at least 1", Error);
  CHECK_THROWS_WITH_AS(make(7, 3, {}), "winograd: F(7, 3) reads 9 inputs; must be at most 8",
                       Error);
  CHECK_THROWS_WITH_AS(make(2, 3, {0, 1}), "winograd: F(2, 3) has 2 points; must be 3", Error);
  CHECK_THROWS_WITH_AS(make(2, 3, {0, 1, 1}),
                       "winograd: F(2, 3): point 1 occurs twice; must be different", Error);
  CHECK_THROWS_WITH_AS(winograd_matrices(1, 2, {{.value = Rational(1, 2), .output_scale = 0}}),
                       "winograd: F(1, 2): a scale of point 1/2 is 0; must not be", Error);
  CHECK_THROWS_WITH_AS(
      winograd_of({1, 3}),
      "winograd: F(1, 3) has no points in the table; must have 2 outputs and 2 taps or more, and "
      "at most 8 inputs",
      Error);
}
