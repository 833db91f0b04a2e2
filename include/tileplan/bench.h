// SPDX-License-Identifier: Apache-2.0
// bench_layer() compares a plan with oneDNN's best layout. The installed library lacks it, because
// it does not contain oneDNN.
#pragma once

#include <optional>
#include <string>

#include "tileplan/compare.h"
#include "tileplan/plan.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// The comparison of one layer. `ratio` is the peer's time divided by ours, so that we are faster
/// above 1.
struct BenchRow {
  Problem problem = {};
  Plan plan = {};  ///< Its first candidate is our side.
  std::optional<Measurement> ours = {}, peer = {};
  std::string peer_layout = {};  ///< It was the fastest of any, nhwc and nchw in a first pass.
  std::string peer_implementation = {};
  std::optional<MedianInterval> ratio = {};
  double peak_flops = 0;        ///< flop/s of all threads at the clock that the times are scaled to
  double roofline_seconds = 0;  ///< No kernel is faster than this at that clock.
  std::string disturbed = {};   ///< It says why there is no ratio.
  bool failed = false;          ///< There was no kernel, no peer, or a wrong result.
};

struct BenchOptions {
  double budget_seconds = 10;  ///< Planning, the peer's layouts and the pairs of a layer share it.
  int verify = 10;             ///< Our plan measures so many candidates before it chooses.
};

/// Returns a text like "2.6.3". It is empty when tileplan was built without oneDNN.
std::string peer_version();

/// Throws Error unless the tensors of `problem` are f32, the one type that both sides compute.
void require_f32(const Problem& problem);

/// Throws Error as require_f32() does, and when the tensors do not fit into this machine's memory.
void require_comparable(const Problem& problem);

/// Plans, verifies and compiles our kernel, picks the peer's fastest layout, then measures adjacent
/// pairs on `options.threads` shared threads. A single thread is pinned to its core. A side whose
/// output is wrong is not measured. Throws Error as require_comparable() does, and when the peer
/// cannot compute the problem.
BenchRow bench_layer(const Problem& problem, const Machine& machine, const Options& options,
                     const BenchOptions& bench = {});

}  // namespace tileplan
