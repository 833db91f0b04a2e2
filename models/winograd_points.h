// SPDX-License-Identifier: Apache-2.0
// This file lists the interpolation points of each Winograd algorithm that plans may use.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "winograd_matrices.h"

namespace tileplan {

/// Names the algorithm F(outputs, taps) of one direction (WinogradMatrices).
struct WinogradSize {
  int outputs = 1, taps = 1;

  bool operator==(const WinogradSize&) const = default;
};

/// Counts the operations of the input transform of alpha inputs, and of the output transform of
/// alpha products, in one direction.
struct TransformOperations {
  std::int64_t input = 0, output = 0;

  bool operator==(const TransformOperations&) const = default;
};

/// Returns the sizes F(m, r) for which points were chosen, ascending by taps, then by outputs. Each
/// size has at least two outputs and two taps.
std::vector<WinogradSize> winograd_sizes();

/// Returns the points of F(outputs, taps). F(2, 2) has the points 0 and 1. All other points have
/// the least error_growth() of all sets of pairs p, -p of small fractions, with or without 0, whose
/// transforms have exact entries in float and whose cost exceeds the least cost by at most a tenth.
/// The cost is the number of operations of both transforms of a tile, plus a quarter for each
/// multiplication by a constant that is no power of two. The output scales give each row of A^T a
/// coefficient of 1 where this is possible. docs/experiments.md compares these points with others.
/// Throws Error for sizes that winograd_sizes() does not have.
std::vector<WinogradPoint> winograd_points(WinogradSize size);

/// Returns the numbers of lines of factored_program() of B^T and of A^T at winograd_points(), or
/// nothing for sizes that winograd_sizes() does not have. The numbers are stored in a table,
/// because finding programs takes longer than predicting schedules.
std::optional<TransformOperations> winograd_operations(WinogradSize size);

/// Returns the matrices of F(outputs, taps) at winograd_points(), or those of F(1, 1), which needs
/// no points. Throws Error for all other sizes that winograd_sizes() does not have.
WinogradMatrices winograd_of(WinogradSize size);

}  // namespace tileplan
