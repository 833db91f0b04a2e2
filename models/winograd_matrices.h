// SPDX-License-Identifier: Apache-2.0
// This file computes the matrices of a Winograd convolution from interpolation points.
#pragma once

#include "matrix.h"
#include "rational.h"

namespace tileplan {

/// Limits alpha, the number of inputs of a tile in one direction. The error bounds of larger tiles
/// exceed those of the direct convolution by orders of magnitude.
constexpr int kMostWinogradInputs = 8;

/// Describes a finite interpolation point. Its row of B^T is multiplied by `input_scale` and its
/// column of A^T by `output_scale`; its row of G is divided by both, so the results stay equal.
struct WinogradPoint {
  Rational value = 0;
  Rational input_scale = 1, output_scale = 1;
};

/// Holds F(m, r) in one direction: `outputs` = m results of a correlation with `taps` = r weights,
/// from alpha = m + r - 1 inputs and as many products, y = A^T [(G g) . (B^T d)].
struct WinogradMatrices {
  int outputs = 1, taps = 1;
  Matrix<Rational> weights;  ///< Holds G, of alpha rows and r columns.
  Matrix<Rational> input;    ///< Holds B^T, of alpha rows and alpha columns.
  Matrix<Rational> output;   ///< Holds A^T, of m rows and alpha columns.

  /// Returns alpha, the number of inputs and of products.
  int inputs() const { return outputs + taps - 1; }
};

/// Holds one algorithm per direction. A direction of one tap has F(1, 1), which is the identity.
struct WinogradTile {
  WinogradMatrices height, width;

  /// Returns the number of products of one tile, for each input and output channel.
  int products() const { return height.inputs() * width.inputs(); }
};

/// Returns the matrices of F(outputs, taps) for `points` and the point at infinity,
/// models/README.md eq. (W1). Throws Error unless outputs and taps are at least 1, alpha is at most
/// kMostWinogradInputs, there are alpha - 1 different points, and no scale is 0. The result
/// satisfies computes_correlation(), which is checked.
WinogradMatrices winograd_matrices(int outputs, int taps, const std::vector<WinogradPoint>& points);

/// Returns true when the matrices compute y_k = sum over j of g_j d_(k + j) exactly, because
/// sum over i of A^T_ki G_ij B^T_il is 1 for l = k + j and 0 otherwise.
bool computes_correlation(const WinogradMatrices& matrices);

}  // namespace tileplan
