// SPDX-License-Identifier: Apache-2.0
// This file declares kernels of other libraries, which compute the problem of our kernel for a
// comparison.
#pragma once

#include "attached_kernel.h"
#include "runner.h"
#include "tileplan/bench.h"

namespace tileplan {

/// Computes one problem with one kernel of a peer.
struct PeerRun {
  PeerKernel kernel;
  /// Runs the kernel. The tensors given to peer_runs() must outlive this function, and so must
  /// `plain_output`, which holds the kernel's own buffers.
  std::function<void()> run;
  /// Returns the output of the last run in the plain layout.
  std::function<Buffer()> plain_output;
  /// The regime decides whether the weights, all these spans or none are flushed before a run.
  /// `weights` holds the weights in the form that a run reads.
  std::span<const std::byte> weights;
  std::vector<Bytes> activations;
};

/// Returns the kernels of `peer` that can be compared with ours for `options`. oneDNN has at most
/// one per layout, form of the weights and algorithm; a BLAS library has one. Requires:
/// find_peers() returned the name. Throws Error when the peer cannot compute `problem` as `options`
/// ask.
std::vector<PeerRun> peer_runs(const std::string& peer, const Problem& problem, Tensors& tensors,
                               const Options& options);

/// Returns a workload in `regime`, which refers to `run` and to `tensors`.
Workload workload_of(const PeerRun& run, Regime regime, Tensors& tensors);

}  // namespace tileplan
