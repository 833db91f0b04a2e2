// SPDX-License-Identifier: Apache-2.0
// nearest_rival() finds the best schedule whose loop order has other classes than a given schedule.
#pragma once

#include <optional>
#include <string>

#include "tileplan/candidate.h"
#include "tileplan/machine.h"
#include "tileplan/options.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Holds the candidate with the best prediction among those of other classes of loop orders.
struct Rival {
  Candidate candidate = {};
  std::string classes = {};  ///< Holds OrderExplanation::classes of the candidate.
};

/// Names the class of a schedule's loop order (movement.h) around the tile of each cache.
struct OrderExplanation {
  /// Names one class per cache, innermost cache first, as in "(c)/kh/-" (docs/concepts.md). It is
  /// empty for Winograd schedules.
  std::string classes = {};
  std::optional<Rival> rival = {};  ///< Holds the result of nearest_rival() where it was called.
};

struct Explanation;
struct PlanWithRivals;

/// Plans the problem of `explanation`, and returns the best predicted direct candidate that has the
/// same ISA and arithmetic and other classes of loop orders. `machine` and `options` are those of
/// explain(); the weights are plain if the explained schedule takes plain weights. Returns nothing
/// for Winograd schedules, when plan() throws Error, and when no candidate has other classes.
std::optional<Rival> nearest_rival(const Explanation& explanation, const Machine& machine,
                                   const Options& options = {});

/// Chooses as the other nearest_rival() does, but among the candidates of `planned`, which must be
/// plan_with_rivals() of the explained problem and machine.
std::optional<Rival> nearest_rival(const Explanation& explanation, const PlanWithRivals& planned);

}  // namespace tileplan
