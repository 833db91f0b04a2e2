// SPDX-License-Identifier: Apache-2.0
// A candidate is a schedule with its prediction and measurement. A certificate bounds the
// predictions of all schedules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tileplan/prediction.h"
#include "tileplan/schedule.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Holds times of one kernel or one network. A short run of fixed work, called a sentinel, precedes
/// and follows each sample. The sample is kept if both sentinels show that no other program slowed
/// the core, and if its threads hardly waited for cores.
struct Measurement {
  double median_seconds = 0;
  /// Give the limits of the 95 % confidence interval of the median. The interval of few samples has
  /// less confidence.
  double low_seconds = 0, high_seconds = 0;
  /// Counts the kept samples and all samples. The median is taken over the kept samples, or over
  /// all samples if none was kept.
  int kept = 0, samples = 0;
  /// Holds the times of the kept samples in seconds, in the order in which they were taken.
  std::vector<double> times = {};
  /// Holds the UTC time of samples that come from a database. It is empty if this run took the
  /// samples.
  std::string taken = {};
  /// Gives the flop/s that one core reaches in f32 at the fastest clock that several sentinels saw.
  /// Shares of peak refer to this clock, because the clock of an earlier calibration may differ. It
  /// is 0 if the clock is not known, as for times from records.
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

/// Names a candidate that could not be measured because it could not be assembled, crashed, hung or
/// ran out of memory.
struct Failure {
  Schedule schedule = {};
  std::string reason = {};

  bool operator==(const Failure&) const = default;
};

/// Proves the optimum of the per-level model, in which each cache level has its own loop order and
/// tile sizes and loads elements rather than cache lines (models/README.md). The seconds of this
/// optimum are not comparable with those of a Prediction.
struct PerLevelProof {
  /// Gives the predicted seconds of the best schedule whose tile sizes divide the extents, or of a
  /// faster one with uneven tiles. If the search was cut short, which Certificate::space then
  /// mentions, a better schedule may exist.
  double optimum = 0;
  /// Bounds the seconds from below for any real-valued tile sizes, with the loop orders that the
  /// following counts cover.
  double bound = 0;
  /// Counts the geometric programs that were solved, each for one choice of microkernels, loop
  /// orders and ranges of filter sizes.
  std::int64_t solved = 0;
  /// Counts the programs that were skipped because their single-level bounds are at least `bound`.
  std::int64_t pruned = 0;
  /// Counts the programs that were not solved. For these, `bound` uses weaker bounds.
  std::int64_t unsolved = 0;

  bool operator==(const PerLevelProof&) const = default;
};

/// Holds the traffic of one cache level when tile sizes must divide the extents, and the traffic
/// for any tile sizes. Each traffic is that of the best tile for this level alone, in elements,
/// where outputs count twice. All tile sizes are multiples of those of a base: the register tile of
/// the best schedule of the per-level model or, where this tile has two sizes, a block of both.
struct Divisibility {
  std::string level = {};
  double divisors = 0;  ///< Gives the least traffic of tiles whose sizes divide the extents.
  /// Gives the least traffic of tiles of any such sizes, which are clipped at the edges.
  double any = 0;
  double any_bound = 0;  ///< Bounds `any` from below. Both are equal after a complete search.

  bool operator==(const Divisibility&) const = default;
};

/// Holds the best prediction for one algorithm and bounds of its predictions, in seconds.
struct AlgorithmBound {
  /// Holds "direct" or the mark of a schedule, such as "winograd=4x4".
  std::string algorithm = {};
  /// Gives the least prediction of the algorithm's schedules that were scored. It is 0 if none was
  /// scored, such as when `bound` exceeds the best prediction of another algorithm by over 5 %.
  double optimum = 0;
  /// Bounds the time of multiply-adds and transforms of tiles from below, or is 0 for "direct".
  double compute_bound = 0;
  /// Bounds the time of the traffic between caches from below, or is 0 for "direct".
  double traffic_bound = 0;
  double bound = 0;  ///< Bounds the prediction of each schedule of the algorithm from below.
  double relative_error = 1;  ///< Holds Prediction::relative_error of the algorithm's schedules.

  bool operator==(const AlgorithmBound&) const = default;
};

/// Proves how close a plan is to the best schedule of the space, which docs/concepts.md defines.
/// `optimum` and `bound` are predicted seconds, with bound <= optimum <= the prediction of each
/// candidate.
struct Certificate {
  /// Tells in words how many schedules were searched, what the cost model assumes, and what the
  /// bound covers.
  std::string space = {};
  double optimum = 0;  ///< Gives the least prediction of all schedules that were scored.
  /// Holds Prediction::bottleneck of the schedule whose prediction is `optimum`.
  std::string bottleneck = {};
  /// Bounds the prediction of each schedule of the space from below. It is 0 when nothing was
  /// proven: without a search, and with Options::variant.
  double bound = 0;
  /// Counts the tiles of single caches that the search visited, without those for narrow vectors,
  /// plus the Winograd schedules that it predicted.
  std::int64_t nodes = 0;
  double gap = 0;  ///< Equals (optimum - bound) / optimum.
  PerLevelProof per_level = {};
  /// With Options::certify_full and a search for direct schedules, has one entry per cache level
  /// that holds the base that Divisibility describes. It is empty otherwise, and with
  /// Options::variant.
  std::vector<Divisibility> divisibility = {};
  /// Has one entry per algorithm if Winograd algorithms were considered, and is empty otherwise.
  /// The least `bound` of the entries is Certificate::bound.
  std::vector<AlgorithmBound> algorithms = {};

  bool operator==(const Certificate&) const = default;
};

}  // namespace tileplan
