// SPDX-License-Identifier: Apache-2.0
// This file lists the interpolation points of each Winograd algorithm that plans may use.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "winograd_matrices.h"

namespace tileplan {

/// Names F(outputs, taps).
struct WinogradSize {
  int outputs = 1, taps = 1;

  bool operator==(const WinogradSize&) const = default;
};

/// Counts the operations of both transforms of one vector in one direction.
struct TransformOperations {
  std::int64_t input = 0, output = 0;

  bool operator==(const TransformOperations&) const = default;
};

/// Returns the sizes that have points, ascending by taps, then by outputs. Each size has at least
/// two outputs and two taps.
std::vector<WinogradSize> winograd_sizes();

/// Returns the points of F(outputs, taps). They have the least error_growth() of all sets of pairs
/// p, -p of small fractions, with or without 0, whose transforms are exact and whose cost exceeds
/// the least cost by at most a tenth. The cost is the number of operations of both transforms of a
/// tile, plus a quarter for each multiplication by another constant than a power of two. The output
/// scales give each row of A^T a coefficient of 1 where they can. docs/experiments.md compares
/// these points with others. Throws Error for sizes that winograd_sizes() does not have.
std::vector<WinogradPoint> winograd_points(WinogradSize size);

/// Returns the lines of factored_program() of B^T and of A^T at winograd_points(), or nothing for
/// sizes that winograd_sizes() does not have. A table holds them, because programs are found more
/// slowly than schedules are predicted.
std::optional<TransformOperations> winograd_operations(WinogradSize size);

/// Returns the matrices of F(outputs, taps) at winograd_points(), or F(1, 1) of a direction without
/// taps. Throws Error for other sizes.
WinogradMatrices winograd_of(WinogradSize size);

}  // namespace tileplan
