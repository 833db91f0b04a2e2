// SPDX-License-Identifier: Apache-2.0
// bench_layer() compares a plan with the fastest kernel of other libraries. The installed library
// lacks the functions of this header, because it does not link these libraries.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tileplan/compare.h"
#include "tileplan/plan.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Describes the kernel of another library (a peer) that was compared with our kernel.
struct PeerKernel {
  std::string library = {};  ///< Names the library: "onednn", "openblas", "blis" or "mkl".
  /// Gives the version and, for OpenBLAS and BLIS, the name of the kernels: "0.3.21 SkylakeX".
  std::string version = {};
  std::string layout = {};  ///< Names the layout of the activations: any, nhwc or nchw.
  /// Tells how the peer reads its weights: "packed" beforehand or, if Options::weights is `plain`,
  /// either "plain", in place, or "reordered" in each run.
  std::string weights = {};
  /// Holds the name that oneDNN gives its implementation, or the name of the function of a BLAS
  /// library.
  std::string implementation = {};
  std::string algorithm = {};  ///< Names the algorithm: "direct" or "winograd".
};

/// Holds the comparison of our kernel for one layer with the fastest kernel of the peers. `ratio`
/// is the peer's time divided by ours, so we are faster when it exceeds 1.
struct BenchRow {
  Problem problem = {};
  /// Holds our kernel as its first candidate, or no candidates if bench_row() caught an Error.
  Plan plan = {};
  std::optional<Measurement> ours = {}, peer = {};
  /// Describes the fastest kernel of the peers. A first pass compared all peers, layouts, forms of
  /// the weights and, if Options::algorithm is not `direct` and the weights are packed, algorithms.
  /// All texts are empty when no peer was measured.
  PeerKernel peer_kernel = {};
  std::optional<MedianInterval> ratio = {};
  /// Gives the peak of all threads together in flop/s at the fastest clock that several probes saw.
  double peak_flops = 0;
  /// Bounds the time of every direct kernel from below, at the clock of `peak_flops`.
  double roofline_seconds = 0;
  std::string disturbed = {};  ///< Gives the reason why `ratio` is missing, or is empty.
  bool failed = false;         ///< Tells whether nothing could be compared or a result was wrong.
};

struct BenchOptions {
  /// Limits all measurements of one layer, in seconds. Other work, such as the search for our
  /// schedule, is not cut short, but uses up the budget too. The comparison in pairs may take one
  /// second even if nothing of the budget is left.
  double budget_seconds = 10;
  /// Sets the number of candidates that are measured before our plan chooses one.
  int verify = 10;
  /// Lists libraries, the fastest of which is compared.
  std::vector<std::string> peers = {"onednn"};
};

/// Describes a library that BenchOptions::peers can name, as find_peers() finds it on this machine.
struct Peer {
  std::string name = {};  ///< Holds the name that BenchOptions::peers uses.
  /// Gives the version and, for OpenBLAS and BLIS, the name of the kernels: "0.3.21 SkylakeX".
  std::string version = {};
  /// Gives the share of the peak of this CPU that find_peers() measured for a BLAS library, from 0
  /// to 1. It is 0 for oneDNN, which is not measured, and for missing libraries.
  double share_of_peak = 0;
  /// Gives the reason why the library is not compared, or is empty.
  std::string left_out = {};
  /// If true, oneDNN may add products of bytes in pairs that saturate at 16 bits on this CPU, so
  /// its results may be wrong.
  bool saturates_bytes = false;
};

/// Returns a version such as "2.6.3", or empty text when tileplan was built without oneDNN.
std::string peer_version();

/// Returns the libraries that `names` lists, each once: onednn, openblas, blis, mkl:FILE with the
/// path of libmkl_rt.so, or best, which means the first three. Measures the share of the peak of
/// this CPU that each BLAS library reaches in a square product. Peer::left_out gets a reason when a
/// library is missing or reaches less than half of the peak, because its kernels are then made for
/// other CPUs. Throws Error for other names, and when this CPU lacks the ISA of `machine` that the
/// measurement needs.
std::vector<Peer> find_peers(const std::vector<std::string>& names, const Machine& machine);

/// Throws Error unless the input of `problem` has a type that oneDNN convolves and multiplies: f32,
/// bf16, f16, u8 or s8.
void require_peer_types(const Problem& problem);

/// Throws Error as require_peer_types() does, and when the tensors do not fit into this machine's
/// memory.
void require_comparable(const Problem& problem);

/// Plans, verifies and compiles our kernel, chooses the peers' fastest kernel, then measures both
/// in adjacent pairs on the same `options.threads` threads. A single thread is pinned to its core.
/// If our output is wrong or the peer's output differs, the pairs are not measured and
/// BenchRow::failed is set. Outputs for inputs of bytes may differ with Peer::saturates_bytes.
/// Throws Error as require_comparable() and plan() do, and when no peer can compute the problem.
BenchRow bench_layer(const Problem& problem, const Machine& machine, const Options& options,
                     const BenchOptions& bench = {});

/// Returns bench_layer() or, when this throws Error, a failed row with the message in
/// BenchRow::disturbed and a plan without candidates.
BenchRow bench_row(const Problem& problem, const Machine& machine, const Options& options,
                   const BenchOptions& bench = {});

}  // namespace tileplan
