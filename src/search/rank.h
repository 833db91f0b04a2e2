// SPDX-License-Identifier: Apache-2.0
// This file sorts candidates, removes copies and near-copies, and keeps a diverse few.
#pragma once

#include <compare>
#include <cstddef>
#include <vector>

#include "tileplan/candidate.h"

namespace tileplan {

/// The model cannot distinguish predicted times that are within this share of the best.
constexpr double kTie = 0.03;

/// Candidates are ordered by the first rule in which they differ. The first three rules compare
/// only candidates tied with the fastest.
enum class Rule {
  reduction_steps,            ///< More reduction steps per call come first (TTile's rule).
  bytes_beyond_second_level,  ///< Fewer doublings of these bytes come first.
  loops,                      ///< Fewer loops come first.
  seconds,                    ///< Less time comes first, so tied candidates precede all others.
  text,                       ///< The text of the schedule decides last.
};

/// Holds the values that the rules compare. The text of the schedule is written only when all other
/// rules tie.
struct Merit {
  bool tied = false;  ///< The predicted time is within kTie of the fastest.
  double reduction_steps = 0;
  double bytes_beyond_second_level = 0;  ///< These bytes fill the second level and those beyond it.
  std::size_t loops = 0;
  double seconds = 0;
  const Schedule* schedule = nullptr;
};

/// Returns the merit of `candidate`, which must outlive it, among candidates of which the fastest
/// is predicted to take `fastest` seconds.
Merit merit_of(const Candidate& candidate, double fastest);

/// Tells which of two candidates goes first, and which rule decides.
struct Decision {
  Rule rule = Rule::text;
  std::partial_ordering order =
      std::partial_ordering::equivalent;  ///< If less, the left candidate goes first.
};

/// Returns the order of the merits and the first rule that distinguishes them. Requires merits of
/// the same candidates.
Decision decide(const Merit& left, const Merit& right);

inline bool operator<(const Merit& left, const Merit& right) {
  return decide(left, right).order < 0;
}

/// Returns at most `keep` of `candidates` in the order of `decide`, without equal schedules and
/// near-copies. A near-copy of a better candidate has the same register tiles, layouts and marks
/// and loads the same bytes at every level. While other candidates are left, the list is kept
/// diverse, because the model errs for whole kinds of schedules (docs/experiments.md). One register
/// tile in one layout gets at most a quarter of the list. Candidates tied with the best are divided
/// among the layouts and numbers of vectors per pixel. At most half of the list is streamed (nt),
/// and at most half has `ahead` where a link is the bottleneck. A list of ten or more reserves two
/// slots for each layout whose best candidate takes at most 1.5 times as long as the fastest.
std::vector<Candidate> best_first(std::vector<Candidate> candidates, int keep);

}  // namespace tileplan
