// SPDX-License-Identifier: Apache-2.0
// This file describes a convolution and a Winograd algorithm with the values that predictions
// share.
#pragma once

#include "tileplan/machine.h"
#include "winograd_matrices.h"
#include "winograd_products.h"

namespace tileplan {

/// Holds a convolution that is computed by one F(m, r) in each direction, with the values that all
/// predictions of this convolution share.
struct WinogradProblem {
  ConvShape shape = {};
  WinogradTiles tiles = {};
  WinogradTile tile = {};
  /// Holds winograd_products(): the products of the transformed tiles as a computation.
  Computation products;
  TransformRate rate = {};    ///< Gives the cycles of the transforms of `tile`.
  double relative_error = 1;  ///< Holds relative_error_bound() of eq. (W4).
};

/// Returns the values that all predictions of `problem` share when Winograd's algorithm computes it
/// with `tiles`. Throws Error as winograd_tile() and winograd_products() do.
WinogradProblem winograd_problem(const Problem& problem, const WinogradTiles& tiles,
                                 const Machine& machine);

}  // namespace tileplan
