// SPDX-License-Identifier: Apache-2.0
// Traffic that comes in bursts has less computation to hide behind. models/README.md eq. (B).
#pragma once

#include <cstddef>
#include <vector>

#include "computation.h"
#include "nest.h"

namespace tileplan {

/// One tensor on the link that fills a cache.
struct Stream {
  double seconds = 0;  ///< bytes over bandwidth
  double share =
      1;  ///< of the execution, during which it streams; 0: nothing is computed meanwhile
};

/// Share of the execution during which `tensor` streams into a cache that holds the box `cut`:
/// loops that reuse it, between the innermost loop outside the cut that brings new elements and the
/// calls of the microkernel, wait for memory in their first iteration only. Example: weights of 16
/// blocks of channels, each used for 7 rows of outputs, stream during 1/7.
double streaming_share(const Computation& computation, const Nest& nest, const TensorAccess& tensor,
                       const Tile& cut);

/// What the streams of one link add to eq. (T) beside `compute` seconds:
/// (S^rho + sum_i (T_i^rho - compute^rho))^(1/rho) with S the seconds of all steady streams (share
/// 1) and, for each other, T_i = (1 - share) compute + ((share compute)^rho + seconds^rho)^(1/rho).
/// Requires exponent >= 1. At
/// least the seconds of all streams: a link brings one after the other. Example: two bursts of 2
/// and 3 s without any computation take 5 s.
double burst_seconds(const std::vector<Stream>& streams, double compute, double exponent);

}  // namespace tileplan
