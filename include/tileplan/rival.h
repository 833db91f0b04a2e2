// SPDX-License-Identifier: Apache-2.0
// nearest_rival() compares a schedule with the best one whose loop order is of another class.
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
/// same ISA and other classes of loop orders. `machine` and `options` are those of explain(); the
/// weights are plain if the explained schedule takes plain weights. Returns nothing for Winograd
/// schedules, when plan() throws Error, and when no candidate has other classes.
std::optional<Rival> nearest_rival(const Explanation& explanation, const Machine& machine,
                                   const Options& options = {});

/// Returns the result of the other nearest_rival() without planning. Requires that `planned` is
/// plan_with_rivals() of the problem, `machine` and `options`.
std::optional<Rival> nearest_rival(const Explanation& explanation, const PlanWithRivals& planned);

}  // namespace tileplan
