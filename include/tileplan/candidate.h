// SPDX-License-Identifier: Apache-2.0
// A candidate is a schedule with its prediction and measurement; a certificate bounds all of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tileplan/prediction.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Times of one schedule. A sample is kept when the sentinels around it, short runs of fixed work,
/// were as fast as on a quiet machine.
struct Measurement {
  double median_seconds = 0;
  double low_seconds = 0, high_seconds = 0;  ///< 95 % confidence interval of the median
  int kept = 0;                              ///< samples kept
  int samples = 0;                           ///< samples taken
  std::vector<double> times = {};            ///< the kept samples in seconds, in the order taken
  std::string taken = {};  ///< UTC time of a measurement from an earlier run; empty: this run

  bool operator==(const Measurement&) const = default;
};

struct Candidate {
  Schedule schedule = {};
  Prediction prediction = {};
  std::optional<Measurement> measurement = {};

  bool operator==(const Candidate&) const = default;
};

/// The number of candidates that were not ranked, for one reason.
struct Rejected {
  std::string reason = {};
  std::int64_t count = 0;

  bool operator==(const Rejected&) const = default;
};

/// A candidate that could not be measured because it crashed, hung or ran out of memory.
struct Failure {
  Schedule schedule = {};
  std::string reason = {};

  bool operator==(const Failure&) const = default;
};

/// The optimum of the band model, in which each cache level has its own loop order and tile sizes
/// and moves elements rather than lines (models/README.md). Its seconds are not those of a
/// Prediction.
struct BandProof {
  double optimum = 0;         ///< least over divisor tiles; proven unless `space` says it was cut
  double bound = 0;           ///< least over real tile sizes, from the programs counted below
  std::int64_t solved = 0;    ///< geometric programs, one per class tuple and filter sizes
  std::int64_t pruned = 0;    ///< programs skipped: their single-level bounds are not below `bound`
  std::int64_t unsolved = 0;  ///< programs replaced by their single-level bounds

  bool operator==(const BandProof&) const = default;
};

/// The cost, for one cache level, of allowing only tile sizes that divide the extents. The numbers
/// are weighted elements (outputs count twice) that cross its link under the best single tile, with
/// all other levels left out.
struct Divisibility {
  std::string level = {};
  double divisors = 0;   ///< least over tiles that divide
  double any = 0;        ///< least over all integer tiles, with exact ragged edges
  double any_bound = 0;  ///< lower bound of `any`; equal to it when the search was complete

  bool operator==(const Divisibility&) const = default;
};

/// The proof that a plan comes with. `optimum` and `bound` are predicted seconds, so that
/// bound <= optimum <= the prediction of each candidate.
struct Certificate {
  std::string space = {};       ///< the space that was searched, in words and numbers
  double optimum = 0;           ///< smallest prediction found in the space
  std::string bottleneck = {};  ///< bottleneck of the schedule with that prediction
  double bound = 0;             ///< no schedule of the problem is predicted below it; 0: no search
  std::int64_t nodes = 0;       ///< search nodes visited
  double gap = 0;               ///< (optimum - bound) / optimum
  BandProof band = {};
  std::vector<Divisibility> divisibility = {};  ///< one per level, with Options::certify_full

  bool operator==(const Certificate&) const = default;
};

}  // namespace tileplan
