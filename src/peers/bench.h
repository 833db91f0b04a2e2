// SPDX-License-Identifier: Apache-2.0
// Compares our plan with the peer's best layout, in pairs in one process.
#pragma once

#include "onednn.h"
#include "runner.h"
#include "tileplan/kernel.h"
#include "tileplan/plan.h"

namespace tileplan {

/// Compares one layer. `ratio` is peer time / our time, so above 1 we are faster.
struct BenchRow {
  Problem problem;
  Plan plan;  ///< Its first candidate is our side.
  std::optional<Measurement> ours, peer;
  std::string peer_layout;  ///< It was the fastest of any, nhwc and nchw in a first pass.
  std::string peer_implementation;
  std::optional<MedianInterval> ratio;
  double peak_flops = 0;  ///< All threads have it together, at the clock that scales the times.
  double roofline_seconds = 0;  ///< The function in prediction_bound.h gives it at that clock.
  std::string disturbed;        ///< It says why there is no ratio.
  bool failed = false;          ///< There was no kernel, no peer, or a wrong result.
};

struct BenchOptions {
  double budget_seconds = 10;  ///< Planning, the peer's layouts and the pairs of a layer share it.
  int verify = 10;             ///< Our plan measures so many candidates before it chooses.
};

/// Throws Error unless the tensors of `problem` are f32, the one type that both sides compute.
void require_f32(const Problem& problem);

/// Plans, verifies and compiles our kernel, picks the peer's fastest layout, then measures adjacent
/// pairs on `options.threads` shared threads. A side whose output is wrong is not measured. Throws
/// Error when the peer cannot compute the problem.
BenchRow bench_layer(const Problem& problem, const Machine& machine, const Options& options,
                     const BenchOptions& bench);

}  // namespace tileplan
