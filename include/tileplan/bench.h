// SPDX-License-Identifier: Apache-2.0
// bench_layer() compares a plan with the fastest kernel of other libraries. The installed library
// lacks this function because it does not contain them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tileplan/compare.h"
#include "tileplan/plan.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Describes the kernel of a peer that was compared.
struct PeerKernel {
  std::string library = {};  ///< This is "onednn", "openblas", "blis" or "mkl".
  std::string version = {};  ///< This includes the kernels of a BLAS library: "0.3.21 SkylakeX".
  std::string layout = {};   ///< This is the layout of the activations: any, nhwc or nchw.
  /// This tells which weights the peer takes: "packed" beforehand or, if Options::weights is
  /// `plain`, "plain", or "reordered" in each run.
  std::string weights = {};
  /// oneDNN names its implementation; that of a BLAS library is its function.
  std::string implementation = {};
  std::string algorithm = {};  ///< This is "direct" or "winograd".
};

/// Compares our kernel for one layer with the fastest kernel of the peers. `ratio` is the peer's
/// time divided by ours, so we are faster when it exceeds 1.
struct BenchRow {
  Problem problem = {};
  Plan plan = {};  ///< The first candidate is our kernel.
  std::optional<Measurement> ours = {}, peer = {};
  /// A first pass found this to be the fastest of all peers, layouts, forms of the weights and, if
  /// Options::algorithm is not `direct`, algorithms. Its texts are empty without a peer.
  PeerKernel peer_kernel = {};
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
  std::vector<std::string> peers = {"onednn"};  ///< The fastest of these is compared.
};

/// Describes a library on this machine.
struct Peer {
  std::string name = {};     ///< BenchOptions::peers takes this name.
  std::string version = {};  ///< This includes the kernels of a BLAS library: "0.3.21 SkylakeX".
  double share_of_peak = 0;  ///< find_peers() measured this; it is 0 for oneDNN.
  /// This text gives the reason why the peer must not be compared, or is empty.
  std::string left_out = {};
};

/// Returns a version such as "2.6.3", or empty text when tileplan was built without oneDNN.
std::string peer_version();

/// Returns the libraries that `names` list: onednn, openblas, blis, mkl:FILE with the path of
/// libmkl_rt.so, or best, which is the first three. Measures the share of the peak that each BLAS
/// library reaches on this CPU. A library that is missing or reaches less than half in a square
/// product, because its kernels are for other CPUs, is left out. Throws Error for other names.
std::vector<Peer> find_peers(const std::vector<std::string>& names, const Machine& machine);

/// Throws Error unless the tensors of `problem` have types that both sides compute.
void require_peer_types(const Problem& problem);

/// Throws Error as require_peer_types() does, and when the tensors do not fit into this machine's
/// memory.
void require_comparable(const Problem& problem);

/// Plans, verifies and compiles our kernel, chooses the peers' fastest kernel, then measures both
/// in adjacent pairs on the same `options.threads` threads. A single thread is pinned to its core.
/// If an output is wrong, the pairs are not measured and BenchRow::failed is set. Throws Error as
/// require_comparable() and plan() do, and when no peer can compute the problem.
BenchRow bench_layer(const Problem& problem, const Machine& machine, const Options& options,
                     const BenchOptions& bench = {});

/// Returns bench_layer(), or a failed row that says why it threw Error.
BenchRow bench_row(const Problem& problem, const Machine& machine, const Options& options,
                   const BenchOptions& bench = {});

}  // namespace tileplan
