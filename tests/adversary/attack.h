// SPDX-License-Identifier: Apache-2.0
// This file compares a plan with the schedules that an opponent finds.
#pragma once

#include <cstddef>
#include <string>

#include "targets.h"

namespace tileplan::test {

/// Says how many schedules an attack draws and changes.
struct Effort {
  int draws = 100;
  int changes = 400;  ///< Each start of a climb is changed this often.
};

struct Attack {
  double bound = 0;    ///< This is Certificate::bound in seconds.
  double optimum = 0;  ///< This is Certificate::optimum in seconds.
  double least = 0;    ///< This is the opponent's best prediction in seconds.
  /// These are the plan's best schedule and the opponent's.
  std::string planned = {}, schedule = {};
  std::size_t predicted = 0;  ///< The opponent predicted this many schedules.

  /// Returns by which share of the plan's best prediction the opponent's is faster.
  double gain() const { return 1 - least / optimum; }
  bool is_below_bound() const { return least < bound; }
};

/// Plans `target`, draws schedules, and climbs from the best of them and from the plan's own by
/// random changes, of which those that are predicted no slower are kept. Throws Error when no
/// schedule fits.
Attack attack(Random& random, const Target& target, const Effort& effort);

}  // namespace tileplan::test
