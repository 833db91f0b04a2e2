// SPDX-License-Identifier: Apache-2.0
// A prediction is what the model says about the time and the data movement of one schedule.
#pragma once

#include <string>
#include <vector>

namespace tileplan {

/// Traffic on the link that fills one cache level, over the whole execution.
struct LevelPrediction {
  std::string name = {};  ///< the cache that is filled: "L1", "L2", "L3"
  double bytes = 0;       ///< whole cache lines, reads and write-backs
  double seconds = 0;     ///< bytes over the bandwidth of the link
  /// The link's term in eq. (T). It exceeds `seconds` when the bytes come in bursts, eq. (B).
  double burst_seconds = 0;

  bool operator==(const LevelPrediction&) const = default;
};

/// Seconds that overlap with nothing else (models/README.md).
struct Unhidden {
  double exposed = 0;      ///< traffic from beyond the second level that computing exposes, eq. (E)
  double packing = 0;      ///< packing boxes of the input, beyond moving their bytes, eq. (R)
  double repack = 0;       ///< transposing activations before and after the loops, eq. (R)
  double fork = 0;         ///< starting and joining threads
  double prefetching = 0;  ///< issuing prefetches while a link is always busy, eq. (Q)

  double sum() const { return exposed + packing + repack + fork + prefetching; }
  bool operator==(const Unhidden&) const = default;
};

/// seconds = (compute_seconds^rho + sum of burst_seconds^rho)^(1/rho) + unhidden.sum(), where rho
/// is Machine::overlap_exponent (models/README.md eq. (T)).
struct Prediction {
  double seconds = 0;                        ///< the whole execution
  double reduction_steps = 0;                ///< mean per microkernel call
  double compute_seconds = 0;                ///< microkernel calls of the busiest core
  std::vector<LevelPrediction> levels = {};  ///< innermost first
  Unhidden unhidden = {};
  std::string bottleneck = {};  ///< longest part: "compute", a level, "packing" or "repack"
  double bound_bytes = 0;       ///< I/O lower bound of the last level, all threads together

  bool operator==(const Prediction&) const = default;
};

}  // namespace tileplan
