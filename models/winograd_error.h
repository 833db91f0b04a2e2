// SPDX-License-Identifier: Apache-2.0
// This file bounds and estimates the rounding errors of Winograd convolutions.
#pragma once

#include <cstdint>
#include <vector>

#include "winograd_matrices.h"

namespace tileplan {

/// Holds G, B^T and A^T of one direction in double precision, and the counts that error bounds
/// need.
struct WinogradNumbers {
  Matrix<double> weights, input, output;
  /// Gives n_B, the largest number of nonzeros in a row of B^T. A row that copies or negates one
  /// element counts 0.
  int input_terms = 0;
  /// Gives the number of nonzeros of each row of A^T, of which the largest is n_A. A row that
  /// copies or negates one element counts 0.
  std::vector<int> output_terms;
  /// Counts the matrices among B^T and A^T that have entries which float cannot represent.
  int inexact_passes = 0;
};

Matrix<double> matrix_of_doubles(const Matrix<Rational>& matrix);

WinogradNumbers numbers_of(const WinogradMatrices& matrices);

/// Is the unit roundoff of f32, 2^-24.
constexpr double kUnitRoundoff = 0x1p-24;

/// Returns gamma_n = n u / (1 - n u), which bounds the relative error of n roundings, or infinity
/// for 2^24 or more roundings, whose error has no bound.
double rounding_bound(double roundings);

/// Returns the largest sum of absolute values that an output accumulates for inputs and weights of
/// at most 1, divided by this sum of the direct convolution, models/README.md eq. (W4).
double amplification(const WinogradMatrices& matrices);
double amplification(const WinogradTile& tile);

/// Returns the root mean square of the rounding errors of the products for random data, divided by
/// that of the direct convolution: the error growth in models/README.md eq. (W4).
double error_growth(const WinogradMatrices& matrices);
double error_growth(const WinogradTile& tile);

/// Holds the contribution of one direction to relative_error_bound().
struct ErrorFactors {
  double amplification = 1;
  /// Counts the roundings of the direction in K, eq. (W2). With C input channels, K is C + 1 plus
  /// the counts of both directions.
  int roundings = 0;
};

ErrorFactors error_factors(const WinogradMatrices& matrices);

/// Returns the error bound of a two-dimensional convolution, relative to the direct one, for a
/// filter of `taps` weights per channel. If the bound of either is infinite, first-order bounds are
/// compared.
double relative_error_bound(const ErrorFactors& height, const ErrorFactors& width, double taps,
                            std::int64_t channels);

/// Returns the a-priori error bound for inputs and weights of at most 1, divided by the bound of
/// the direct convolution, gamma_n n with n = channels times taps.
double relative_error_bound(const WinogradTile& tile, std::int64_t channels);

}  // namespace tileplan
