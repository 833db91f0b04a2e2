// SPDX-License-Identifier: Apache-2.0
// This file sorts candidates, removes copies and near-copies, and keeps a few diverse candidates.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tileplan/candidate.h"

namespace tileplan {

/// Predicted times within this relative distance of the fastest are tied, because the model is not
/// more accurate.
constexpr double kTie = 0.03;

/// Predicted times within this relative distance of the fastest count as equal, and the rules on
/// steps, vectors and loops order them. With a larger distance, these rules would overrule correct
/// predictions (docs/experiments.md).
constexpr double kEqual = 0.005;

/// Candidates are ordered by the first rule in which they differ. The first rule compares only
/// candidates tied with the fastest, and the next three only those equal to it.
enum class Rule {
  /// Candidates that move fewer bytes on the links that fill the second-level cache and the caches
  /// outside it come first. Bytes are rounded down to powers of two.
  bytes_beyond_second_level,
  reduction_steps,  ///< Candidates with more reduction steps per call come first (TTile's rule).
  /// Where links are the bottleneck, candidates with more adjacent vectors of the output come
  /// first.
  adjacent_vectors,
  loops,    ///< Candidates with fewer loops come first.
  seconds,  ///< Candidates with less time come first, so tied candidates precede all others.
  text,     ///< The order of the schedules' texts decides last.
};

/// Holds the values that the rules compare. The schedule is written as text only when all other
/// rules tie.
struct RankKey {
  bool tied = false;   ///< Tells whether the predicted time is within kTie of the fastest.
  bool equal = false;  ///< Tells whether the predicted time is within kEqual of the fastest.
  double reduction_steps = 0;
  /// Counts the bytes on the links that fill the second-level cache and the caches outside it.
  double bytes_beyond_second_level = 0;
  /// Counts the adjacent vectors that a register tile stores per pixel. It is 0 unless a link is
  /// the bottleneck and the output has rows of channels.
  std::int64_t adjacent_vectors = 0;
  std::size_t loops = 0;
  double seconds = 0;
  const Schedule* schedule = nullptr;
};

/// Returns the key of `candidate`, which must outlive the key. `fastest` is the least predicted
/// time of all candidates, in seconds.
RankKey rank_key_of(const Candidate& candidate, double fastest);

struct Decision {
  Rule rule = Rule::text;
  /// If the order is `less`, the left candidate goes first.
  std::partial_ordering order = std::partial_ordering::equivalent;
};

/// Returns the order of the keys and the first rule that distinguishes them. Requires that both
/// keys were computed with the same `fastest`.
Decision decide(const RankKey& left, const RankKey& right);

inline bool operator<(const RankKey& left, const RankKey& right) {
  return decide(left, right).order < 0;
}

/// Returns at most `keep` of `candidates` without equal schedules and near-copies. The list is kept
/// diverse, because the model errs for whole kinds of schedules (docs/experiments.md). Candidates
/// that differ only in T and R loops together get at most a quarter of the list, but at least one
/// place. Streamed outputs (nt) get at most half, rounded up, and so do prefetches (ahead) where a
/// link is the bottleneck. Ties share the list evenly by layouts and vectors per pixel, with at
/// least two places for each share. A list of ten or more reserves two places for each combination
/// of layouts and algorithm that is predicted to take at most 1.5 times as long as the fastest.
/// Candidates above these shares fill the remaining places when all others are used up or take
/// longer than that. The candidates within the shares come first, then those above them, both in
/// the order of `decide`.
std::vector<Candidate> best_first(std::vector<Candidate> candidates, int keep);

/// Returns best_first() of direct and Winograd schedules together. When `keep` is at least 2 and
/// both algorithms have candidates, the list has a candidate of each: the best candidate of an
/// algorithm that would be missing takes the last place.
std::vector<Candidate> best_of_each_algorithm(std::vector<Candidate> candidates, int keep);

}  // namespace tileplan
