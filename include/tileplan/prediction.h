// SPDX-License-Identifier: Apache-2.0
// What the model says about one schedule, and what was measured of it.
#pragma once

#include <cstdint>
#include <optional>
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

struct Prediction {
  double seconds = 0;          ///< models/README.md eq. (T): levels and compute overlapped
  double reduction_steps = 0;  ///< of one microkernel call, mean over calls
  double compute_seconds = 0;  ///< microkernel calls alone
  std::vector<LevelPrediction> levels = {};  ///< innermost first
  std::string bottleneck = {};               ///< "compute" or the level with the largest time
  double bound_bytes = 0;                    ///< I/O lower bound of the last level

  bool operator==(const Prediction&) const = default;
};

/// Why candidates were not ranked, counted.
struct Rejected {
  std::string reason = {};
  std::int64_t count = 0;

  bool operator==(const Rejected&) const = default;
};

/// Gated samples of one schedule.
struct Measurement {
  double median_seconds = 0;
  double low_seconds = 0, high_seconds = 0;  ///< 95 % confidence interval of the median
  int kept = 0;                              ///< samples that passed the sentinels
  int samples = 0;                           ///< samples taken
  std::vector<double> times = {};            ///< the kept ones, seconds, in the order taken
  std::string taken = {};  ///< when, UTC, if it was remembered from an earlier run; empty: now

  bool operator==(const Measurement&) const = default;
};

/// What the optimality claim covers. `optimum` and `bound` are predicted seconds.
struct Certificate {
  std::string space = {};  ///< e.g. "61 kernels x 8^3 classes x divisor tiles"
  double optimum = 0;      ///< best found in the space
  double bound = 0;        ///< nothing in the space is below this
  std::int64_t nodes = 0;  ///< search nodes visited
  double gap = 0;          ///< (optimum - bound) / optimum

  bool operator==(const Certificate&) const = default;
};

}  // namespace tileplan
