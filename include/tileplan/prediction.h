// SPDX-License-Identifier: Apache-2.0
// A prediction holds the modelled time and data movement of one schedule.
#pragma once

#include <string>
#include <vector>

#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Holds the traffic on the link that fills one cache level, over the whole execution.
struct LevelPrediction {
  std::string name = {};  ///< The link fills this cache, such as "L1".
  double bytes = 0;       ///< Reads and write-backs count whole cache lines.
  double seconds = 0;     ///< This is `bytes` divided by the bandwidth.
  /// This is the term of the link in eq. (T). Bursts make it exceed `seconds`, eq. (B).
  double burst_seconds = 0;

  bool operator==(const LevelPrediction&) const = default;
};

/// Holds times that overlap with nothing else (models/README.md).
struct Unhidden {
  double exposed = 0;  ///< Computation does not hide these accesses beyond the L2, eq. (E).
  /// Packing the input takes this time. Its traffic is not in `levels`, eq. (R).
  double packing = 0;
  double repack = 0;  ///< Changing activation layouts before and after takes this time, eq. (R).
  double fork = 0;    ///< Starting and joining threads takes this time.
  /// Prefetch instructions take this time when a link is always busy, eq. (Q).
  double prefetching = 0;

  double sum() const { return exposed + packing + repack + fork + prefetching; }
  bool operator==(const Unhidden&) const = default;
};

/// Holds the predicted time of a schedule: seconds = (compute_seconds^rho + sum of
/// burst_seconds^rho)^(1/rho) + unhidden.sum(), where rho is MeasuredRates::overlap_exponent
/// (models/README.md eq. (T)).
struct Prediction {
  double seconds = 0;                        ///< One whole execution takes this time.
  double reduction_steps = 0;                ///< A microkernel call has this many steps on average.
  double compute_seconds = 0;                ///< The busiest core spends this time in microkernels.
  std::vector<LevelPrediction> levels = {};  ///< The innermost cache is first.
  Unhidden unhidden = {};
  std::string bottleneck = {};  ///< The longest part is "compute", a level, "packing" or "repack".
  /// All threads together transfer at least these bytes into the last level.
  double bound_bytes = 0;

  bool operator==(const Prediction&) const = default;
};

}  // namespace tileplan
