// SPDX-License-Identifier: Apache-2.0
// This file compares a plan with the schedules that an opponent finds.
#pragma once

#include <cstddef>
#include <string>

#include "targets.h"

namespace tileplan::test {

/// Tells how many schedules an attack draws, and how often it changes them.
struct Effort {
  int draws = 100;
  int changes = 400;  ///< A climb tries this many changed schedules.
};

struct Attack {
  double bound = 0;    ///< This is Certificate::bound in seconds.
  double optimum = 0;  ///< This is Certificate::optimum in seconds.
  double least = 0;    ///< This is the shortest predicted time that a climb reached, in seconds.
  /// These are the best schedules of the plan and of the opponent.
  std::string planned = {}, schedule = {};
  std::size_t predicted = 0;  ///< The opponent predicted the times of this many schedules.

  /// Returns the share by which `least` is shorter than `optimum`. It is negative if it is longer.
  double gain() const { return 1 - least / optimum; }
  bool is_below_bound() const { return least < bound; }
};

/// Plans `target`, then tries to beat the plan. The opponent draws random schedules, and climbs
/// from the best of them and from the plan's first two schedules: it changes a schedule at random,
/// and keeps each changed schedule that is predicted to be no slower. Throws Error as plan() does.
Attack attack(Random& random, const Target& target, const Effort& effort);

}  // namespace tileplan::test
