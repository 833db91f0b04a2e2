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
  double bytes = 0;       ///< Whole cache lines count, both reads and write-backs.
  double seconds = 0;     ///< The transfer of `bytes` takes this time.
  /// This is the link's term in eq. (T). It exceeds `seconds` when bytes come in bursts, eq. (B).
  double burst_seconds = 0;

  bool operator==(const LevelPrediction&) const = default;
};

/// Holds times that overlap with nothing else (models/README.md).
struct Unhidden {
  /// Accesses beyond the L2 that computation does not hide take this time, eq. (E).
  double exposed = 0;
  /// Packing the input takes this time, eq. (R). Its traffic is not in `levels`.
  double packing = 0;
  /// Changing activation layouts before and after the kernel takes this time, eq. (R).
  double repack = 0;
  double fork = 0;  ///< Starting the run, and its threads if there are several, takes this time.
  /// Prefetch instructions take this time while a link is always busy, eq. (Q).
  double prefetching = 0;

  double sum() const { return exposed + packing + repack + fork + prefetching; }
  bool operator==(const Unhidden&) const = default;
};

/// Holds one of several stages whose times add up (models/README.md eq. (W6)).
struct StagePrediction {
  std::string name = {};  ///< The name is "input transform", "products" or "output transform".
  double seconds = 0;     ///< Computation and links overlap in this time.
  double compute_seconds = 0;
  std::vector<LevelPrediction> levels = {};  ///< The innermost cache is first.

  bool operator==(const StagePrediction&) const = default;
};

/// Holds the predicted time of a schedule: seconds = (compute_seconds^rho + sum of
/// burst_seconds^rho)^(1/rho) + unhidden.sum(), where rho is MeasuredRates::overlap_exponent
/// (models/README.md eq. (T)). A schedule with stages takes the sum of their seconds +
/// unhidden.sum() instead, and its compute_seconds and levels are sums over the stages.
struct Prediction {
  double seconds = 0;                        ///< One whole execution takes this time.
  double reduction_steps = 0;                ///< A microkernel call has this many steps on average.
  double compute_seconds = 0;                ///< The busiest core spends this time in microkernels.
  std::vector<LevelPrediction> levels = {};  ///< The innermost cache is first.
  Unhidden unhidden = {};
  std::string bottleneck = {};  ///< The longest part is "compute", a level, "packing" or "repack".
  /// Any schedule loads at least these bytes into the last cache level.
  double bound_bytes = 0;
  std::vector<StagePrediction> stages = {};  ///< A direct convolution has no stages.
  /// The a-priori error bound for inputs and weights of at most 1 is this multiple of that of the
  /// direct convolution, models/README.md eq. (W4).
  double relative_error = 1;

  bool operator==(const Prediction&) const = default;
};

}  // namespace tileplan
