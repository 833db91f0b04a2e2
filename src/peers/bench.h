// SPDX-License-Identifier: Apache-2.0
// Compares our plan with the peer's best layout, in pairs in one process.
#pragma once

#include "onednn.h"
#include "runner.h"
#include "tileplan/kernel.h"
#include "tileplan/plan.h"

namespace tileplan {

/// One layer of a comparison. `ratio` = peer time / our time: above 1 we are faster.
struct BenchRow {
  Problem problem;
  Plan plan;  ///< its first candidate is what ran
  std::optional<Measurement> ours;
  std::optional<Measurement> peer;
  std::string peer_layout;  ///< fastest of any, nhwc, nchw in a first pass
  std::string peer_implementation;
  std::optional<MedianInterval> ratio;
  double peak_flops = 0;        ///< of all threads, at the clock that the times are scaled to
  double roofline_seconds = 0;  ///< as in prediction_bound.h, at that clock
  std::string disturbed;        ///< why there is no ratio
  bool failed = false;          ///< nothing was measured: no kernel, no peer, or a wrong result
};

struct BenchOptions {
  /// Seconds per layer: planning and verifying, the peer's layouts, and the pairs.
  double budget_seconds = 10;
  /// Candidates that our plan measures before it chooses.
  int verify = 10;
};

/// Throws Error unless the tensors of `problem` are f32, the one type that both sides compute.
void require_f32(const Problem& problem);

/// Plans, verifies and compiles our kernel, picks the peer's fastest layout, then measures adjacent
/// pairs on `options.threads` shared threads. A side whose output is wrong is not measured. Throws
/// Error when the peer cannot compute the problem.
BenchRow bench_layer(const Problem& problem, const Machine& machine, const Options& options,
                     const BenchOptions& bench);

}  // namespace tileplan
