// SPDX-License-Identifier: Apache-2.0
// This file sorts candidates, removes copies and near-copies, and keeps a diverse few.
#pragma once

#include <compare>
#include <cstddef>
#include <vector>

#include "tileplan/candidate.h"

namespace tileplan {

/// The model does not tell predicted times apart that are within this share of the best.
constexpr double kTie = 0.03;

/// Candidates are ordered by the first of these in which they differ.
enum class Rule {
  reduction_steps,  ///< Among those tied with the fastest, more come first (TTile's rule).
  bytes_beyond_second_level,  ///< Among those tied, fewer doublings come first.
  loops,                      ///< Among those tied, fewer come first.
  seconds,                    ///< Fewer come first, and ties before all others.
  text,                       ///< It is the text of the schedule.
};

/// Holds the values that the rules compare. The text is written only where all other rules tie.
struct Merit {
  bool tied = false;  ///< It is within kTie of the fastest.
  double reduction_steps = 0;
  double bytes_beyond_second_level = 0;  ///< They fill the second level and those beyond it.
  std::size_t loops = 0;
  double seconds = 0;
  const Schedule* schedule = nullptr;
};

/// Returns the merit of `candidate`, which must outlive it, among candidates of which the fastest
/// is predicted to take `fastest` seconds.
Merit merit_of(const Candidate& candidate, double fastest);

/// Says which of two goes first, and why.
struct Decision {
  Rule rule = Rule::text;
  std::partial_ordering order =
      std::partial_ordering::equivalent;  ///< When less, the left one goes first.
};

/// Returns the first rule that tells the merits apart. Requires merits of the same candidates.
Decision decide(const Merit& left, const Merit& right);

inline bool operator<(const Merit& left, const Merit& right) {
  return decide(left, right).order < 0;
}

/// Returns at most `keep` of `candidates` in the order of `decide`, without equal schedules and
/// near-copies. A near-copy of a better candidate has the same register tiles, layouts and marks
/// and loads the same bytes at every level. While others are left, the list is kept diverse,
/// because the model errs for whole kinds of schedules (docs/experiments.md). One register tile in
/// one layout gets at most a quarter of the list. Candidates tied with the best are shared among
/// the layouts and numbers of vectors per pixel. At most half are streamed (nt), and at most half
/// have `ahead` where a link is the bottleneck. From ten on, two slots are reserved for each layout
/// whose best is within half of the fastest.
std::vector<Candidate> best_first(std::vector<Candidate> candidates, int keep);

}  // namespace tileplan
