// SPDX-License-Identifier: Apache-2.0
// This file lists the Winograd algorithms that a plan may use, with bounds on their predictions.
#pragma once

#include <vector>

#include "tileplan/candidate.h"
#include "tileplan/machine.h"
#include "tileplan/options.h"
#include "tileplan/problem.h"
#include "winograd_cost.h"

namespace tileplan {

/// A bound and a prediction that are mathematically equal may differ by this share, because both
/// are rounded.
inline constexpr double kRounding = 1e-12;

/// Describes one pair of F(m, r) (models/README.md), for the height and for the width of one
/// convolution.
struct WinogradAlgorithm {
  WinogradTiles tiles;
  WinogradTile tile;
  TransformRate rate = {};
  AlgorithmBound bound = {};
};

/// Returns the supported algorithms whose relative error bound is at most `options.max_error`. The
/// least bound on the seconds comes first. AlgorithmBound::optimum is 0. In the bound on the
/// seconds, the products take at least the cycles of the fastest register tile, and each transform
/// those of the faster of its two rates. The products also take at least the time of the
/// transformed weights, and the output transforms that of the outputs, on each link into a cache
/// that cannot hold the tensors. If a cache has several capacities in predictions (occupancies()),
/// the share of those that cannot hold them counts. Requires that why_no_winograd() is empty.
std::vector<WinogradAlgorithm> winograd_algorithms(const ConvShape& shape, const Machine& machine,
                                                   const Options& options);

/// Returns the least relative error bound of all supported algorithms, for messages. Requires that
/// why_no_winograd() is empty.
double least_relative_error(const ConvShape& shape);

}  // namespace tileplan
