// SPDX-License-Identifier: Apache-2.0
// bench_layer() compares a plan with oneDNN's fastest layout. The installed library lacks this
// function because it does not contain oneDNN.
#pragma once

#include <optional>
#include <string>

#include "tileplan/compare.h"
#include "tileplan/plan.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Compares our kernel for one layer with the peer library, oneDNN. `ratio` is the peer's time
/// divided by ours, so we are faster when it exceeds 1.
struct BenchRow {
  Problem problem = {};
  Plan plan = {};  ///< The first candidate is our kernel.
  std::optional<Measurement> ours = {}, peer = {};
  /// A first pass found this to be the fastest of the layouts any, nhwc and nchw.
  std::string peer_layout = {};
  /// This tells which weights the peer takes: "packed" beforehand or, if Options::weights is
  /// `plain`, "plain", or "reordered" in each run. It is empty without a peer.
  std::string peer_weights = {};
  std::string peer_implementation = {};
  /// The first pass also compared the peer's direct and Winograd kernels if Options::algorithm is
  /// not `direct`. This is "direct" or "winograd", or empty without a peer.
  std::string peer_algorithm = {};
  std::optional<MedianInterval> ratio = {};
  /// All threads together reach at most this many flop/s at the fastest clock seen.
  double peak_flops = 0;
  double roofline_seconds = 0;  ///< No direct kernel is faster at the clock of `peak_flops`.
  std::string disturbed = {};   ///< This text gives the reason why `ratio` is missing, or is empty.
  bool failed = false;  ///< This is true when there was no kernel, no peer, or a wrong result.
};

struct BenchOptions {
  double budget_seconds = 10;  ///< Planning and all measurements of one layer share these seconds.
  int verify = 10;             ///< This many candidates are measured before our plan chooses one.
};

/// Returns a version such as "2.6.3", or empty text when tileplan was built without oneDNN.
std::string peer_version();

/// Throws Error unless the tensors of `problem` have types that both sides compute.
void require_peer_types(const Problem& problem);

/// Throws Error as require_peer_types() does, and when the tensors do not fit into this machine's
/// memory.
void require_comparable(const Problem& problem);

/// Plans, verifies and compiles our kernel, chooses the peer's fastest layout, then measures both
/// in adjacent pairs on the same `options.threads` threads. A single thread is pinned to its core.
/// If an output is wrong, the pairs are not measured and BenchRow::failed is set. Throws Error as
/// require_comparable() and plan() do, and when the peer cannot compute the problem.
BenchRow bench_layer(const Problem& problem, const Machine& machine, const Options& options,
                     const BenchOptions& bench = {});

/// Returns bench_layer(), or a failed row that says why it threw Error.
BenchRow bench_row(const Problem& problem, const Machine& machine, const Options& options,
                   const BenchOptions& bench = {});

}  // namespace tileplan
