// SPDX-License-Identifier: Apache-2.0
// This file describes a convolution and a Winograd algorithm with the values that predictions
// share.
#pragma once

#include "tileplan/machine.h"
#include "winograd_matrices.h"
#include "winograd_products.h"

namespace tileplan {

/// Holds a convolution that one F(m, r) computes, with the values that all its predictions share.
struct WinogradProblem {
  ConvShape shape = {};
  WinogradTiles tiles = {};
  WinogradTile tile = {};
  Computation products;       ///< Holds winograd_products().
  TransformRate rate = {};    ///< The transforms of `tile` take these cycles.
  double relative_error = 1;  ///< This is relative_error_bound() of eq. (W4).
};

/// Returns the values that all predictions of `problem` share when Winograd's algorithm computes it
/// with `tiles`. Throws Error as winograd_tile() does.
WinogradProblem winograd_problem(const Problem& problem, const WinogradTiles& tiles,
                                 const Machine& machine);

}  // namespace tileplan
