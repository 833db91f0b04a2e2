// SPDX-License-Identifier: Apache-2.0
// Searches Winograd schedules of a convolution, fastest algorithms first.
#pragma once

#include <string>
#include <vector>

#include "candidates.h"
#include "computation.h"
#include "tileplan/options.h"

namespace tileplan {

struct WinogradResults {
  Candidates candidates;
  std::vector<AlgorithmBound> algorithms;  ///< Every algorithm that max_error allows, least first.
  std::int64_t choices = 0;    ///< So many blocks, orders and register tiles were bounded.
  std::int64_t predicted = 0;  ///< So many of them could still be fastest and were predicted.
  /// No choice of a searched algorithm has a smaller prediction than its optimum, unless the search
  /// was cut short.
  bool complete = true;

  /// Returns text for Certificate::space.
  std::string space_text() const;
};

/// Returns the reason why options.max_error excludes every Winograd convolution of `problem`.
std::string why_error_too_large(const Problem& problem, const Options& options);

/// Searches the algorithms whose bound is at most `incumbent` seconds and the best prediction so
/// far, with cores of `machine`. In each, choices are predicted in the order of their bounds, until
/// the bound exceeds the best prediction. `incumbent` is infinite when only Winograd convolutions
/// are wanted. Without algorithms, max_error excludes all. Requires that why_no_winograd() is
/// empty.
WinogradResults search_winograd(const Problem& problem, const Computation& computation,
                                const Machine& machine, const Options& options, double incumbent);

}  // namespace tileplan
