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

/// Holds times of one schedule. A sample is kept when the sentinels around it, short runs of fixed
/// work, were as fast as on a quiet machine.
struct Measurement {
  double median_seconds = 0;
  double low_seconds = 0, high_seconds = 0;  ///< They are 95 % confidence limits of the median.
  int kept = 0, samples = 0;                 ///< So many of all samples were kept.
  std::vector<double> times = {};            ///< Kept samples are in seconds, in the order taken.
  std::string taken = {};                    ///< It is the UTC time of an earlier run, or empty.

  bool operator==(const Measurement&) const = default;
};

struct Candidate {
  Schedule schedule = {};
  Prediction prediction = {};
  std::optional<Measurement> measurement = {};

  bool operator==(const Candidate&) const = default;
};

/// Counts the candidates that were not ranked, for one reason.
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

/// Proves the optimum of the band model, in which each cache level has its own loop order and tile
/// sizes and loads elements rather than cache lines (models/README.md). Its seconds are not those
/// of a Prediction.
struct BandProof {
  double optimum = 0;  ///< It is the least of divisor tiles, proven unless `space` says it was cut.
  double bound = 0;    ///< It is the least of real tile sizes, from the programs counted below.
  std::int64_t solved = 0;    ///< There is one geometric program per class tuple and filter size.
  std::int64_t pruned = 0;    ///< The single-level bounds of these programs exceed `bound`.
  std::int64_t unsolved = 0;  ///< Single-level bounds replace these programs.

  bool operator==(const BandProof&) const = default;
};

/// Tells what it costs one cache level to allow only tile sizes that divide the extents. The
/// numbers are weighted elements (outputs count twice) that cross its link under the best single
/// tile, with all other levels left out.
struct Divisibility {
  std::string level = {};
  double divisors = 0;   ///< It is the least of tiles that divide.
  double any = 0;        ///< It is the least of all integer tiles, with exact ragged edges.
  double any_bound = 0;  ///< It is at most `any`, and equal after a complete search.

  bool operator==(const Divisibility&) const = default;
};

/// Proves how good a plan is. `optimum` and `bound` are predicted seconds, so that
/// bound <= optimum <= the prediction of each candidate.
struct Certificate {
  std::string space = {};       ///< It describes the searched space in words and numbers.
  double optimum = 0;           ///< It is the smallest prediction in the space.
  std::string bottleneck = {};  ///< It is that of the schedule with that prediction.
  double bound = 0;             ///< No schedule is predicted below it. Without a search it is 0.
  std::int64_t nodes = 0;       ///< The search visited so many nodes.
  double gap = 0;               ///< It is (optimum - bound) / optimum.
  BandProof band = {};
  std::vector<Divisibility> divisibility = {};  ///< Options::certify_full gives one per level.

  bool operator==(const Certificate&) const = default;
};

}  // namespace tileplan
