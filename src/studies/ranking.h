// SPDX-License-Identifier: Apache-2.0
// The study `ranking`: does the model put schedules into the order in which this machine runs them?
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tileplan/machine.h"
#include "tileplan/problem.h"

namespace tileplan {

struct RankingOptions {
  std::vector<Problem> layers = {};
  /// Folder of ranking.csv, ranking-LAYER.svg and summary.txt; made when it is missing.
  std::string folder;
  /// Random schedules per layer. All are compiled at once, each with its own packed weights.
  int schedules = 60;
  /// Seconds of measuring per layer, at most; as many again for the fastest. Compiling and checking
  /// come on top: seconds for large weights.
  double budget_seconds = 60;
  /// Of the draws, the tensors and the order of each round.
  std::uint64_t seed = 1;
  /// Go on with the ranking.csv that is there: its layers are not measured again.
  bool resume = false;
  /// Of the program, for the head of the results.
  std::string version = {};
};

/// Of each layer: the model's first ten schedules and random ones of fast kernels (algorithms as in
/// random_sample.h, layouts drawn uniformly), each checked, then all timed interleaved, hot caches,
/// one thread, and the fastest three of both origins timed once more, more often. `say` gets the
/// summary line by line as it grows. A layer is written when it is complete, every file as a whole.
/// Requires: `machine` is this host. Throws Error when an option makes no sense, and when there is
/// a ranking.csv and `resume` is not set or it was not made with the same machine, version and
/// options.
void study_ranking(const Machine& machine, const RankingOptions& options,
                   const std::function<void(const std::string&)>& say);

}  // namespace tileplan
