// SPDX-License-Identifier: Apache-2.0
// A schedule with its prediction and measurement, and what the search proved about all of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tileplan/prediction.h"
#include "tileplan/schedule.h"

namespace tileplan {

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

struct Candidate {
  Schedule schedule = {};
  Prediction prediction = {};
  std::optional<Measurement> measurement = {};

  bool operator==(const Candidate&) const = default;
};

/// Why candidates were not ranked, counted.
struct Rejected {
  std::string reason = {};
  std::int64_t count = 0;

  bool operator==(const Rejected&) const = default;
};

/// A candidate that could not be measured: it crashed, hung, ran out of memory or computed
/// something else.
struct Failure {
  Schedule schedule = {};
  std::string reason = {};

  bool operator==(const Failure&) const = default;
};

/// The optimum of the band model (models/README.md), in its own seconds: levels in elements, each
/// with its own order and tiles.
struct BandProof {
  double optimum = 0;         ///< of the search over divisor tiles; proven unless `space` says cut
  double bound = 0;           ///< the same over real tile sizes, of the programs counted below
  std::int64_t solved = 0;    ///< geometric programs, one per class tuple and filter sizes
  std::int64_t pruned = 0;    ///< not solved: their single-level bounds are not below `bound`
  std::int64_t unsolved = 0;  ///< replaced by their single-level bounds

  bool operator==(const BandProof&) const = default;
};

/// What it costs one cache level that tiles divide: weighted elements (outputs twice) that cross
/// its link under the best single tile, all other levels aside.
struct Divisibility {
  std::string level = {};
  double divisors = 0;   ///< over tiles that divide
  double any = 0;        ///< over all integer tiles, ragged ones exact
  double any_bound = 0;  ///< no integer tile is below this; `any` when the search was complete

  bool operator==(const Divisibility&) const = default;
};

/// What the optimality claim covers. `optimum` and `bound` are predicted seconds, as of every
/// candidate: bound <= optimum <= each of them.
struct Certificate {
  std::string space = {};       ///< what was searched, in words and numbers
  double optimum = 0;           ///< smallest prediction found in the space
  std::string bottleneck = {};  ///< of the schedule that has it
  double bound = 0;        ///< no schedule of the problem is predicted below this; 0: none searched
  std::int64_t nodes = 0;  ///< search nodes visited
  double gap = 0;          ///< (optimum - bound) / optimum
  BandProof band = {};
  std::vector<Divisibility> divisibility = {};  ///< per level, with Options::certify_full

  bool operator==(const Certificate&) const = default;
};

}  // namespace tileplan
