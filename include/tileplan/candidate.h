// SPDX-License-Identifier: Apache-2.0
// A candidate is a schedule with its prediction and measurement; a certificate bounds all of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tileplan/prediction.h"
#include "tileplan/schedule.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Holds times of one schedule. Short runs of fixed work, called sentinels, precede and follow each
/// sample. The sample is kept when both were as fast as on a quiet machine.
struct Measurement {
  double median_seconds = 0;
  /// The median lies between these limits with 95 % confidence.
  double low_seconds = 0, high_seconds = 0;
  int kept = 0, samples = 0;  ///< The kept samples give the median. If none was kept, all do.
  /// The kept samples have these times in seconds, in the order taken.
  std::vector<double> times = {};
  std::string taken = {};  ///< The samples were taken at this UTC time, or in this run if empty.

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
/// tile sizes and loads elements rather than cache lines (models/README.md). Its seconds are not
/// comparable with those of a Prediction.
struct BandProof {
  /// No divisor tiles are faster, unless Certificate::space says that the search was cut short.
  double optimum = 0;
  /// No real-valued tile sizes are faster with the loop orders of the programs counted below.
  double bound = 0;
  /// These programs, each for one choice of loop orders and filter sizes, were solved.
  std::int64_t solved = 0;
  /// These programs were skipped, because their single-level bounds exceed `bound`.
  std::int64_t pruned = 0;
  /// These programs were not solved; their single-level bounds are used.
  std::int64_t unsolved = 0;

  bool operator==(const BandProof&) const = default;
};

/// Tells how much more traffic one cache level has when tile sizes must divide the extents. Traffic
/// is counted in elements, outputs twice, for the best single tile of this level alone.
struct Divisibility {
  std::string level = {};
  double divisors = 0;  ///< The best tile whose sizes divide the extents has this traffic.
  double any = 0;  ///< The best tile of any integer sizes, with clipped edges, has this traffic.
  double any_bound = 0;  ///< No tile has less traffic. A complete search makes this equal to `any`.

  bool operator==(const Divisibility&) const = default;
};

/// Proves how good a plan is. `optimum` and `bound` are predicted seconds, so that
/// bound <= optimum <= the prediction of each candidate.
struct Certificate {
  std::string space = {};  ///< This text describes the searched schedules in words and numbers.
  double optimum = 0;      ///< No searched schedule has a smaller prediction.
  /// The schedule with the smallest prediction has this bottleneck.
  std::string bottleneck = {};
  /// No schedule is predicted below this; 0 without a search.
  double bound = 0;
  std::int64_t nodes = 0;  ///< The branch and bound search visited this many nodes.
  double gap = 0;          ///< The gap is (optimum - bound) / optimum.
  BandProof band = {};
  /// Options::certify_full fills this, by level.
  std::vector<Divisibility> divisibility = {};

  bool operator==(const Certificate&) const = default;
};

}  // namespace tileplan
