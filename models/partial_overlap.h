// SPDX-License-Identifier: Apache-2.0
// Models bursts of traffic, which hide behind less computation. models/README.md eq. (B).
#pragma once

#include <vector>

#include "computation.h"
#include "nest.h"

namespace tileplan {

/// One tensor on the link that fills a cache.
struct TensorStream {
  double seconds = 0;  ///< bytes over bandwidth
  double share = 1;    ///< of the execution during which it streams; 0: nothing is computed then
};

/// Returns the share of the execution during which `tensor` streams into a cache that holds the box
/// `cut`. The loops that reuse it lie between the innermost loop outside the cut that brings new
/// elements and the calls of the microkernel. They wait for memory in their first iteration only.
/// Example: weights of 16 blocks of channels, each used for 7 rows of outputs, stream during 1/7.
double streaming_share(const Computation& computation, const Nest& nest, const TensorAccess& tensor,
                       const Tile& cut);

/// Returns what the streams of one link add to eq. (T) beside `compute` seconds:
/// (S^rho + sum_i (T_i^rho - compute^rho))^(1/rho). S is the seconds of all steady streams (share
/// 1); for each other one T_i = (1 - share) compute + ((share compute)^rho + seconds^rho)^(1/rho).
/// It is at least the seconds of all streams, as a link brings one after the other. Requires
/// exponent >= 1. Example: two bursts of 2 and 3 s without any computation take 5 s.
double partial_overlap_seconds(const std::vector<TensorStream>& streams, double compute,
                               double exponent);

}  // namespace tileplan
