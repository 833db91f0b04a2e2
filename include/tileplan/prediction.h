// SPDX-License-Identifier: Apache-2.0
// A prediction is what the model says about the time and the data movement of one schedule.
#pragma once

#include <string>
#include <vector>

#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Holds the traffic on the link that fills one cache level, over the whole execution.
struct LevelPrediction {
  std::string name = {};  ///< It names the cache that is filled, such as "L1".
  double bytes = 0;       ///< It counts whole cache lines, both reads and write-backs.
  double seconds = 0;     ///< It is `bytes` divided by the bandwidth of the link.
  /// It is the link's term in eq. (T), which exceeds `seconds` when bytes come in bursts, eq. (B).
  double burst_seconds = 0;

  bool operator==(const LevelPrediction&) const = default;
};

/// Holds the seconds that overlap with nothing else (models/README.md).
struct Unhidden {
  double exposed = 0;      ///< Computing does not hide this traffic from beyond the L2, eq. (E).
  double packing = 0;      ///< Boxes of the input are packed. Their bytes are not counted, eq. (R).
  double repack = 0;       ///< Activations are transposed before and after the loops, eq. (R).
  double fork = 0;         ///< Threads are started and joined.
  double prefetching = 0;  ///< Prefetches are issued while a link is always busy, eq. (Q).

  double sum() const { return exposed + packing + repack + fork + prefetching; }
  bool operator==(const Unhidden&) const = default;
};

/// Holds seconds = (compute_seconds^rho + sum of burst_seconds^rho)^(1/rho) + unhidden.sum(), where
/// rho is Machine::overlap_exponent (models/README.md eq. (T)).
struct Prediction {
  double seconds = 0;                        ///< The whole execution takes this time.
  double reduction_steps = 0;                ///< It is the mean per microkernel call.
  double compute_seconds = 0;                ///< The busiest core calls microkernels for this time.
  std::vector<LevelPrediction> levels = {};  ///< The innermost is first.
  Unhidden unhidden = {};
  std::string bottleneck = {};  ///< The longest part is "compute", a level, "packing" or "repack".
  double bound_bytes = 0;       ///< It is the I/O lower bound of the last level for all threads.

  bool operator==(const Prediction&) const = default;
};

}  // namespace tileplan
