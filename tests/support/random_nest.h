// SPDX-License-Identifier: Apache-2.0
// This file draws nests for any problem. They may contain every kind of loop of a schedule.
#pragma once

#include "computation.h"
#include "random_conv.h"

namespace tileplan::test {

/// Describes the vector registers that a register tile can use.
struct Registers {
  std::int64_t lanes = 1;
  std::int64_t count = 16;
};

/// Returns true with probability 1 / `times`.
inline bool one_in(Random& random, int times) { return pick(random, 1, times) == 1; }

/// Draws loops for `computation`. Some nests have blocks of two sizes, parallel loops or a position
/// where the input is packed. The schedule has no other marks, and compile() may refuse it.
Schedule random_nest(Random& random, const Computation& computation, const Registers& registers);

/// Returns true when a vector of `schedule` holds neighbouring pixels.
bool holds_pixels(const Computation& computation, const Schedule& schedule);

}  // namespace tileplan::test
