// SPDX-License-Identifier: Apache-2.0
// A candidate is a schedule with its prediction and measurement. A certificate bounds all of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tileplan/prediction.h"
#include "tileplan/schedule.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Holds times of one schedule. A short run of fixed work, called a sentinel, precedes and follows
/// each sample. The sample is kept if both sentinels ran as fast as on a quiet machine.
struct Measurement {
  double median_seconds = 0;
  /// The median lies between these limits with 95 % confidence.
  double low_seconds = 0, high_seconds = 0;
  /// The median is that of the kept samples, or of all samples if none was kept.
  int kept = 0, samples = 0;
  /// The kept samples took these seconds, in the order taken.
  std::vector<double> times = {};
  /// This is the UTC time of the samples. It is empty if this run took them.
  std::string taken = {};
  /// One core reaches so many flop/s in f32 at the fastest clock that the sentinels saw. Shares of
  /// peak count with this clock, because that of an earlier calibration may differ. It is 0 if this
  /// is not known, as for times from records.
  double peak_flops = 0;

  bool operator==(const Measurement&) const = default;
};

struct Candidate {
  Schedule schedule = {};
  Prediction prediction = {};
  std::optional<Measurement> measurement = {};

  bool operator==(const Candidate&) const = default;
};

/// Counts the candidates that were rejected for one reason.
struct Rejected {
  std::string reason = {};
  std::int64_t count = 0;

  bool operator==(const Rejected&) const = default;
};

/// Names a candidate that could not be measured because it crashed, hung or ran out of memory.
struct Failure {
  Schedule schedule = {};
  std::string reason = {};

  bool operator==(const Failure&) const = default;
};

/// Proves the optimum of the per-level model, in which each cache level has its own loop order and
/// tile sizes and loads elements rather than cache lines (models/README.md). The seconds of this
/// optimum are not comparable with those of a Prediction.
struct PerLevelProof {
  /// No schedule with divisor tiles is faster in this model. This need not hold if the search was
  /// cut short, which Certificate::space then mentions.
  double optimum = 0;
  /// No real-valued tile sizes are faster with the loop orders that the counts below cover.
  double bound = 0;
  /// This many programs were solved, each for one choice of loop orders and filter sizes.
  std::int64_t solved = 0;
  /// This many programs were skipped, because their single-level bounds exceed `bound`.
  std::int64_t pruned = 0;
  /// This many programs were not solved; `bound` uses a weaker bound for them.
  std::int64_t unsolved = 0;

  bool operator==(const PerLevelProof&) const = default;
};

/// Tells how much more traffic one cache level has when tile sizes must divide the extents. Traffic
/// is that of the best single tile for this level alone, in elements; outputs count twice.
struct Divisibility {
  std::string level = {};
  double divisors = 0;  ///< The best tile whose sizes divide the extents has this traffic.
  /// The best tile of any integer sizes has this traffic; tiles at the edges are clipped.
  double any = 0;
  double any_bound = 0;  ///< No tile has less traffic. A complete search makes this equal to `any`.

  bool operator==(const Divisibility&) const = default;
};

/// Compares one algorithm with the others. Times are predicted seconds.
struct AlgorithmBound {
  std::string algorithm = {};  ///< The text is "direct" or the mark of a schedule: "winograd=4x4".
  /// No scored schedule of the algorithm has a smaller prediction. It is 0 if the algorithm was not
  /// searched because `bound` exceeds the best prediction.
  double optimum = 0;
  double compute_bound = 0;   ///< Any of its schedules computes at least so long.
  double traffic_bound = 0;   ///< The least traffic of one link takes at least this time.
  double bound = 0;           ///< No schedule of the algorithm is predicted to take less time.
  double relative_error = 1;  ///< This is Prediction::relative_error of its schedules.

  bool operator==(const AlgorithmBound&) const = default;
};

/// Proves how close a plan is to the best schedule of the space, which docs/concepts.md defines.
/// `optimum` and `bound` are predicted seconds, with bound <= optimum <= the prediction of each
/// candidate.
struct Certificate {
  std::string space = {};  ///< This text counts what was searched, in words.
  double optimum = 0;      ///< No schedule that was scored has a smaller prediction.
  /// The schedule with this prediction has this bottleneck.
  std::string bottleneck = {};
  /// No schedule of the space is predicted to take less time. It is 0 without a search.
  double bound = 0;
  std::int64_t nodes = 0;  ///< Branch and bound visited this many tiles, partial ones included.
  double gap = 0;          ///< This is (optimum - bound) / optimum.
  PerLevelProof per_level = {};
  /// Options::certify_full fills this list, which has one entry per cache level.
  std::vector<Divisibility> divisibility = {};
  /// This list is empty unless Winograd algorithms were considered. Then `bound` is the least bound
  /// in it.
  std::vector<AlgorithmBound> algorithms = {};

  bool operator==(const Certificate&) const = default;
};

}  // namespace tileplan
