// SPDX-License-Identifier: Apache-2.0
// This file lists the interpolation points of each Winograd algorithm that plans may use.
#pragma once

#include <vector>

#include "winograd_matrices.h"

namespace tileplan {

/// Names F(outputs, taps).
struct WinogradSize {
  int outputs = 1, taps = 1;

  bool operator==(const WinogradSize&) const = default;
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

/// Returns the matrices of F(outputs, taps) at winograd_points(), or F(1, 1) of a direction without
/// taps. Throws Error for other sizes.
WinogradMatrices winograd_of(WinogradSize size);

}  // namespace tileplan
