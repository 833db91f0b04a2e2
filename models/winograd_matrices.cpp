// SPDX-License-Identifier: Apache-2.0
// The rows of B^T are coefficients of products of (x - p), which are multiplied out one by one.
#include "winograd_matrices.h"

#include <algorithm>
#include <string>

#include "check.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

std::string name_of(int outputs, int taps) {
  return "winograd: F(" + std::to_string(outputs) + ", " + std::to_string(taps) + ")";
}

void check(int outputs, int taps, const std::vector<WinogradPoint>& points) {
  const std::string name = name_of(outputs, taps);
  if (outputs < 1 || taps < 1) throw Error(name + ": both sizes must be at least 1");
  const int inputs = outputs + taps - 1;
  if (inputs > kMostWinogradInputs)
    throw Error(name + " reads " + std::to_string(inputs) + " inputs; must be at most " +
                std::to_string(kMostWinogradInputs));
  if (std::ssize(points) != inputs - 1)
    throw Error(name + " has " + std::to_string(points.size()) + " points; must be " +
                std::to_string(inputs - 1));
  for (auto point = points.begin(); point != points.end(); ++point) {
    if (point->input_scale == 0 || point->output_scale == 0)
      throw Error(name + ": a scale of point " + point->value.str() + " is 0; must not be");
    if (std::any_of(points.begin(), point,
                    [&](const WinogradPoint& other) { return other.value == point->value; }))
      throw Error(name + ": point " + point->value.str() + " occurs twice; must be different");
  }
}

Rational power(const Rational& base, int exponent) {
  Rational result = 1;  // The power 0^0 is 1 here, as in polynomials.
  for (int i = 0; i < exponent; ++i) result *= base;
  return result;
}

/// Returns the coefficients, in ascending order of powers, of the product of (x - p) over all
/// `points` except number `left_out`.
std::vector<Rational> product_without(const std::vector<WinogradPoint>& points,
                                      std::size_t left_out) {
  std::vector<Rational> coefficients = {1};
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i == left_out) continue;
    coefficients.insert(coefficients.begin(), Rational(0));
    for (std::size_t power = 0; power + 1 < coefficients.size(); ++power)
      coefficients[power] -= points[i].value * coefficients[power + 1];
  }
  return coefficients;
}

/// Returns the product of (p_i - p_q) over all other points p_q.
Rational product_of_distances(const std::vector<WinogradPoint>& points, std::size_t i) {
  Rational product = 1;
  for (std::size_t q = 0; q < points.size(); ++q)
    if (q != i) product *= points[i].value - points[q].value;
  return product;
}

void set_input_row(Matrix<Rational>& input, int row, const std::vector<Rational>& coefficients,
                   const Rational& scale) {
  for (int column = 0; column < static_cast<int>(coefficients.size()); ++column)
    input.at(row, column) = coefficients[static_cast<std::size_t>(column)] * scale;
}

void set_point(WinogradMatrices& matrices, const std::vector<WinogradPoint>& points,
               std::size_t i) {
  const WinogradPoint& point = points[i];
  const int row = static_cast<int>(i);
  const Rational divisor = product_of_distances(points, i) * point.input_scale * point.output_scale;
  for (int j = 0; j < matrices.taps; ++j)
    matrices.weights.at(row, j) = power(point.value, j) / divisor;
  for (int k = 0; k < matrices.outputs; ++k)
    matrices.output.at(k, row) = power(point.value, k) * point.output_scale;
  set_input_row(matrices.input, row, product_without(points, i), point.input_scale);
}

}  // namespace

WinogradMatrices winograd_matrices(int outputs, int taps,
                                   const std::vector<WinogradPoint>& points) {
  check(outputs, taps, points);
  WinogradMatrices matrices{
      .outputs = outputs, .taps = taps, .weights = {}, .input = {}, .output = {}};
  const int inputs = matrices.inputs(), infinity = inputs - 1;
  matrices.weights = Matrix<Rational>(inputs, taps);
  matrices.input = Matrix<Rational>(inputs, inputs);
  matrices.output = Matrix<Rational>(outputs, inputs);
  for (std::size_t i = 0; i < points.size(); ++i) set_point(matrices, points, i);
  matrices.weights.at(infinity, taps - 1) = 1;
  matrices.output.at(outputs - 1, infinity) = 1;
  set_input_row(matrices.input, infinity, product_without(points, points.size()), 1);
  TILEPLAN_CHECK(computes_correlation(matrices), "Winograd matrices do not compute a correlation");
  return matrices;
}

bool computes_correlation(const WinogradMatrices& matrices) {
  // The entry of A^T diag(G_j) B^T in row k and column l is the factor of input l and tap j in
  // output k.
  const auto factor = [&](int k, int j, int l) {
    Rational sum = 0;
    for (int i = 0; i < matrices.inputs(); ++i) {
      const Rational& input = matrices.input.at(i, l);
      const Rational& output = matrices.output.at(k, i);
      // Many entries are 0, and skipping them saves slow products of fractions.
      if (input != 0 && output != 0) sum += output * matrices.weights.at(i, j) * input;
    }
    return sum;
  };
  for (int k = 0; k < matrices.outputs; ++k)
    for (int j = 0; j < matrices.taps; ++j)
      for (int l = 0; l < matrices.inputs(); ++l)
        if (factor(k, j, l) != static_cast<int>(l == k + j)) return false;
  return true;
}

}  // namespace tileplan
