// SPDX-License-Identifier: Apache-2.0
// This file searches Winograd schedules of a convolution. Algorithms with the least bounds come
// first.
#pragma once

#include <string>
#include <vector>

#include "candidates.h"
#include "computation.h"
#include "tileplan/options.h"

namespace tileplan {

struct WinogradResults {
  Candidates candidates;
  /// Holds every algorithm that max_error allows, least bound first.
  std::vector<AlgorithmBound> algorithms;
  /// Counts the choices (blocks, orders and register tiles) whose bounds were at most 5 % above the
  /// smaller of the best prediction and the incumbent when the search of their algorithm began.
  std::int64_t choices = 0;
  /// Counts the choices that were predicted, which have the least bounds of their algorithm.
  std::int64_t predicted = 0;
  /// Tells whether each choice that was not predicted has a bound more than 5 % above the best
  /// prediction or the incumbent. It is false when the search was cut short.
  bool complete = true;

  /// Returns text for Certificate::space.
  std::string space_text() const;
};

/// Returns the reason why options.max_error excludes every Winograd convolution of `problem`.
/// Requires that why_no_winograd() is empty.
std::string why_error_too_large(const Problem& problem, const Options& options);

/// Searches the algorithms whose bound exceeds neither `incumbent`, in seconds, nor the best
/// prediction so far by more than 5 %. The choices of an algorithm (blocks, loop orders and
/// register tiles) are predicted in the order of their bounds. The search of an algorithm ends when
/// a bound is more than 5 % above the best prediction or `incumbent`, or after a fixed number of
/// predictions. Schedules use all cores of `machine`. `incumbent` is infinite when only Winograd
/// convolutions are wanted. If the result has no algorithms, max_error excludes all of them. Throws
/// Error as `layouts_of`, winograd_products() and predict_winograd() do. Requires that
/// why_no_winograd() is empty.
WinogradResults search_winograd(const Problem& problem, const Computation& computation,
                                const Machine& machine, const Options& options, double incumbent);

}  // namespace tileplan
