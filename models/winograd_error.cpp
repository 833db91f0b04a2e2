// SPDX-License-Identifier: Apache-2.0
// Absolute values and squares of the matrices are summed in double precision.
#include "winograd_error.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tileplan {
namespace {

/// Returns the largest number of roundings of `row` times a vector: one per nonzero entry, and none
/// if the row copies or negates one element.
int roundings_of(const Matrix<Rational>& matrix, int row) {
  int count = 0;
  bool copies = true;
  for (int column = 0; column < matrix.columns; ++column) {
    const Rational& value = matrix.at(row, column);
    count += value != 0 ? 1 : 0;
    copies = copies && (value == 0 || abs(value) == 1);
  }
  return count == 1 && copies ? 0 : count;
}

bool is_exact(const Matrix<Rational>& matrix) {
  return std::ranges::all_of(matrix.values, is_exact_float);
}

/// Returns for each output k the sum over i of |A_ki|^p |G_i|^p |B_i|^p with p = `power`, where
/// |G_i|^p and |B_i|^p are the sums of |entry|^p over row i.
std::vector<double> grown_rows(const WinogradMatrices& matrices, const WinogradNumbers& numbers,
                               int power) {
  const auto row_sum = [power](const Matrix<double>& matrix, int row) {
    double sum = 0;
    for (int column = 0; column < matrix.columns; ++column)
      sum += std::pow(std::abs(matrix.at(row, column)), power);
    return sum;
  };
  std::vector<double> grown(static_cast<std::size_t>(matrices.outputs));
  for (int k = 0; k < matrices.outputs; ++k)
    for (int i = 0; i < matrices.inputs(); ++i)
      grown[static_cast<std::size_t>(k)] += std::pow(std::abs(numbers.output.at(k, i)), power) *
                                            row_sum(numbers.weights, i) * row_sum(numbers.input, i);
  return grown;
}

int largest(const std::vector<int>& values) { return *std::ranges::max_element(values); }

}  // namespace

Matrix<double> matrix_of_doubles(const Matrix<Rational>& matrix) {
  return mapped_matrix<double>(matrix,
                               [](const Rational& value) { return static_cast<double>(value); });
}

WinogradNumbers numbers_of(const WinogradMatrices& matrices) {
  WinogradNumbers numbers{
      .weights = matrix_of_doubles(matrices.weights),
      .input = matrix_of_doubles(matrices.input),
      .output = matrix_of_doubles(matrices.output),
      .input_terms = 0,
      .output_terms = {},
      .inexact_passes = (is_exact(matrices.input) ? 0 : 1) + (is_exact(matrices.output) ? 0 : 1)};
  for (int row = 0; row < matrices.inputs(); ++row)
    numbers.input_terms = std::max(numbers.input_terms, roundings_of(matrices.input, row));
  for (int row = 0; row < matrices.outputs; ++row)
    numbers.output_terms.push_back(roundings_of(matrices.output, row));
  return numbers;
}

double rounding_bound(double roundings) {
  if (roundings * kUnitRoundoff >= 1) return std::numeric_limits<double>::infinity();
  return roundings * kUnitRoundoff / (1 - roundings * kUnitRoundoff);
}

ErrorFactors error_factors(const WinogradMatrices& matrices) {
  const WinogradNumbers numbers = numbers_of(matrices);
  return {
      .amplification = std::ranges::max(grown_rows(matrices, numbers, 1)) / matrices.taps,
      .roundings = numbers.input_terms + largest(numbers.output_terms) + numbers.inexact_passes};
}

double amplification(const WinogradMatrices& matrices) {
  return error_factors(matrices).amplification;
}

double amplification(const WinogradTile& tile) {
  return amplification(tile.height) * amplification(tile.width);
}

double error_growth(const WinogradMatrices& matrices) {
  double sum = 0;
  for (const double grown : grown_rows(matrices, numbers_of(matrices), 2)) sum += grown;
  return std::sqrt(sum / matrices.outputs) / matrices.taps;
}

double error_growth(const WinogradTile& tile) {
  return error_growth(tile.height) * error_growth(tile.width);
}

double relative_error_bound(const ErrorFactors& height, const ErrorFactors& width, double taps,
                            std::int64_t channels) {
  const double sums = static_cast<double>(channels);
  const double roundings = sums + 1 + height.roundings + width.roundings, direct = taps * sums;
  const double most = std::max(roundings, direct);
  // If a sum has so many terms that its error has no bound, first-order bounds are compared.
  const double growth = std::isinf(rounding_bound(most))
                            ? roundings / direct
                            : rounding_bound(roundings) / rounding_bound(direct);
  return height.amplification * width.amplification * growth;
}

double relative_error_bound(const WinogradTile& tile, std::int64_t channels) {
  return relative_error_bound(error_factors(tile.height), error_factors(tile.width),
                              tile.height.taps * static_cast<double>(tile.width.taps), channels);
}

}  // namespace tileplan
