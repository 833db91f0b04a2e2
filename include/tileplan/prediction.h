// SPDX-License-Identifier: Apache-2.0
// What the model says about one schedule, and what was measured of it.
#pragma once

#include <string>
#include <vector>

namespace tileplan {

/// Traffic on the link that fills one cache level, whole execution.
struct LevelPrediction {
  std::string name = {};  ///< of the cache that is filled: "L1", "L2", "L3"
  double bytes = 0;       ///< whole cache lines, reads and write-backs
  double seconds = 0;     ///< bytes over the bandwidth of the link
  /// What they count as in eq. (T): more than `seconds` when bytes come in bursts, eq. (B).
  double burst_seconds = 0;

  bool operator==(const LevelPrediction&) const = default;
};

/// Seconds of a prediction that nothing else hides.
struct Unhidden {
  double exposed = 0;      ///< of computing and of what comes from beyond the second level, eq. (E)
  double packing = 0;      ///< boxes of the input, beyond moving their bytes, eq. (R)
  double repack = 0;       ///< activations transposed before and after the loops, eq. (R)
  double fork = 0;         ///< starting and joining threads
  double prefetching = 0;  ///< prefetches beside a link that is busy all the time, eq. (Q)

  double sum() const { return exposed + packing + repack + fork + prefetching; }
  bool operator==(const Unhidden&) const = default;
};

/// seconds = (compute_seconds^rho + sum of burst_seconds^rho)^(1/rho) + unhidden.sum(), rho being
/// Machine::overlap_exponent: models/README.md eq. (T).
struct Prediction {
  double seconds = 0;                        ///< of the whole run
  double reduction_steps = 0;                ///< of one microkernel call, mean over calls
  double compute_seconds = 0;                ///< the microkernel calls of the busiest core
  std::vector<LevelPrediction> levels = {};  ///< innermost first
  Unhidden unhidden = {};
  /// What has the largest time: "compute", a level, "packing" or "repack".
  std::string bottleneck = {};
  double bound_bytes = 0;  ///< I/O lower bound of the last level, of all threads

  bool operator==(const Prediction&) const = default;
};

}  // namespace tileplan
