// SPDX-License-Identifier: Apache-2.0
// Sorts, removes duplicates and near-copies, keeps the best few.
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "tileplan/candidate.h"

namespace tileplan {

/// Predicted times this close to the best are a tie: the model does not tell them apart.
constexpr double kTie = 0.03;

/// By what candidates are put in order: the first in which they differ decides.
enum class Rule {
  reduction_steps,            ///< of those tied with the fastest: more first (TTile's rule)
  bytes_beyond_second_level,  ///< of those: fewer doublings first
  loops,                      ///< of those: fewer first, they walk memory in straighter lines
  seconds,                    ///< predicted: fewer first, what is tied before what is not
  text,                       ///< of the schedule
};

/// What the rules compare.
struct Merit {
  bool tied = false;  ///< within kTie of the fastest
  double reduction_steps = 0;
  double bytes_beyond_second_level = 0;  ///< that fill the second level and those beyond it
  std::size_t loops = 0;
  double seconds = 0;
  std::string text = {};
};

/// That of `candidate` among candidates of which the fastest is predicted to take `fastest` s.
Merit merit_of(const Candidate& candidate, double fastest);

/// Which of two goes first, and why.
struct Decision {
  Rule rule = Rule::text;
  std::partial_ordering order = std::partial_ordering::equivalent;  ///< less: the left one
};

/// Requires: both merits among the same candidates.
Decision decide(const Merit& left, const Merit& right);

inline bool operator<(const Merit& left, const Merit& right) {
  return decide(left, right).order < 0;
}

/// `candidates` in the order of `decide`. Without equal schedules and without near-copies,
/// at most `keep`, and of one register tile in one layout at most a quarter of them while others
/// are left: what the model gets wrong, it gets wrong for a whole tile. For the same reason those
/// that are tied with the best are dealt out to the layouts and numbers of vectors per pixel that
/// occur among them: 1x1 on large images runs up to 10 % faster in blocks of channels, short
/// reductions up to 20 % faster with two vectors than the model can tell. At most half are streamed
/// (nt), at most half prefetch ahead where a link is the bottleneck: how fast that is differs most
/// between machines. Of ten and more the best two of each layout are kept that are predicted within
/// half of the fastest: 1x1 of stride 2 over 1024 channels runs at a third of its prediction in
/// blocks, whose lines lie far apart, and at all of it in nhwc. A near-copy of a better candidate
/// has the same register tiles, layouts and marks and moves the same bytes at every level.
std::vector<Candidate> best_first(std::vector<Candidate> candidates, int keep);

}  // namespace tileplan
