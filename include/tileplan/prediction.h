// SPDX-License-Identifier: Apache-2.0
// A prediction holds the modelled time and data movement of one schedule.
#pragma once

#include <string>
#include <vector>

#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Holds the traffic on the link that fills one cache level, over the whole execution.
struct LevelPrediction {
  std::string name = {};  ///< Names the cache that the link fills, such as "L1".
  double bytes = 0;       ///< Counts the bytes of whole cache lines that are read or written.
  /// Gives the time of transferring `bytes`, without stores whose time Unhidden::exposed has, and
  /// without Winograd boxes on the link into the first cache, whose time the transforms include.
  double seconds = 0;
  /// Gives the link's term in eq. (T). It exceeds `seconds` when bytes come in bursts, eq. (B).
  double burst_seconds = 0;

  bool operator==(const LevelPrediction&) const = default;
};

/// Holds times that overlap with nothing else (models/README.md).
struct Unhidden {
  /// Gives the time of accesses beyond the L2, of stores and of rows of weights in place that
  /// computation does not hide, eq. (E), (I), (T) and (W).
  double exposed = 0;
  /// Gives the time by which packing operands in each run takes longer than its traffic, which is
  /// part of `levels`, eq. (R).
  double packing = 0;
  /// Gives the time of changing layouts and types of activations before and after the loops, eq.
  /// (R).
  double repack = 0;
  /// Gives the time of starting the run, and its threads if there are several.
  double fork = 0;
  /// Gives the time of the prefetch instructions of the mark `ahead`, eq. (Q). It is 0 where
  /// computing takes at least twice as long as the link into the second-level cache, where this
  /// link brings more than a quarter of the third level, without a third level, and for Winograd
  /// schedules.
  double prefetching = 0;

  double sum() const { return exposed + packing + repack + fork + prefetching; }
  bool operator==(const Unhidden&) const = default;
};

/// Holds the time of one stage of a Winograd convolution. The stages run one after another, so
/// their times are added (models/README.md eq. (W6)).
struct StagePrediction {
  std::string name = {};  ///< Names the stage: "input transform", "products" or "output transform".
  /// Gives the time of the stage. Transforms hide only a part of their transfers.
  double seconds = 0;
  double compute_seconds = 0;
  std::vector<LevelPrediction> levels = {};  ///< Holds the traffic, innermost cache first.

  bool operator==(const StagePrediction&) const = default;
};

/// Holds the predicted time of a schedule: seconds = (compute_seconds^rho + sum of
/// burst_seconds^rho)^(1/rho) + unhidden.sum(), where rho is MeasuredRates::overlap_exponent
/// (models/README.md eq. (T)). A schedule with stages takes the sum of their seconds +
/// unhidden.sum() instead, and its compute_seconds and levels are sums over the stages.
struct Prediction {
  double seconds = 0;          ///< Gives the time of one run.
  double reduction_steps = 0;  ///< Gives the mean number of reduction steps per microkernel call.
  double compute_seconds = 0;  ///< Gives the busiest core's time for microkernels and transforms.
  std::vector<LevelPrediction> levels = {};  ///< Holds the traffic, innermost cache first.
  Unhidden unhidden = {};
  /// Names the longest part: "compute", a cache level, "packing", "repack" or, for the computation
  /// of a Winograd transform, its stage.
  std::string bottleneck = {};
  /// Gives a lower bound on the bytes that any schedule of the same algorithm loads into the last
  /// cache level if caches are cold.
  double bound_bytes = 0;
  /// Lists the stages of a Winograd convolution, and is empty for direct convolutions.
  std::vector<StagePrediction> stages = {};
  /// Gives the a-priori error bound for inputs and weights of at most 1, divided by the bound of
  /// the direct convolution, models/README.md eq. (W4).
  double relative_error = 1;

  bool operator==(const Prediction&) const = default;
};

}  // namespace tileplan
