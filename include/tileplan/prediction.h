// SPDX-License-Identifier: Apache-2.0
// What the model says about one schedule, and what was measured of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tileplan {

/// What must fit in a cache so that a tile is reused from it (models/README.md eq. (C)).
enum class Capacity {
  ideal,  ///< one tile: a cache that evicts what is needed last
  lru2,   ///< two consecutive tiles: one that evicts what was used longest ago
  ways,   ///< one tile, each tensor in whole ways of its own: packed operands, as BLIS counts
};

/// Traffic on the link that fills one cache level, whole execution.
struct LevelPrediction {
  std::string name = {};  ///< of the cache that is filled: "L1", "L2", "L3"
  double bytes = 0;       ///< whole cache lines, reads and write-backs
  double seconds = 0;     ///< bytes over the bandwidth of the link
  /// What they count as in eq. (T): more than `seconds` when bytes come in bursts, eq. (B).
  double burst_seconds = 0;

  bool operator==(const LevelPrediction&) const = default;
};

/// Seconds of a prediction that nothing else hides.
struct Unhidden {
  double exposed = 0;      ///< of computing and of what comes from beyond the second level, eq. (E)
  double packing = 0;      ///< boxes of the input, beyond moving their bytes, eq. (R)
  double repack = 0;       ///< activations transposed before and after the loops, eq. (R)
  double fork = 0;         ///< starting and joining threads
  double prefetching = 0;  ///< prefetches beside a link that is busy all the time, eq. (Q)

  double sum() const { return exposed + packing + repack + fork + prefetching; }
  bool operator==(const Unhidden&) const = default;
};

/// seconds = (compute_seconds^rho + sum of burst_seconds^rho)^(1/rho) + unhidden.sum(), rho being
/// Machine::overlap_exponent: models/README.md eq. (T).
struct Prediction {
  double seconds = 0;                        ///< of the whole run
  double reduction_steps = 0;                ///< of one microkernel call, mean over calls
  double compute_seconds = 0;                ///< the microkernel calls of the busiest core
  std::vector<LevelPrediction> levels = {};  ///< innermost first
  Unhidden unhidden = {};
  /// What has the largest time: "compute", a level, "packing" or "repack".
  std::string bottleneck = {};
  double bound_bytes = 0;  ///< I/O lower bound of the last level, of all threads

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
