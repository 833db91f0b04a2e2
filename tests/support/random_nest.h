// SPDX-License-Identifier: Apache-2.0
// This file draws nests that contain all kinds of loops that schedules can have, for any problem.
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

/// Draws loops for `computation`, with blocks of one or two sizes, parallel loops and a position
/// where the input is packed. The schedule has no other marks, and compile() may refuse it.
Schedule random_nest(Random& random, const Computation& computation, const Registers& registers);

/// Returns true when a vector of `schedule` holds neighbouring pixels.
bool holds_pixels(const Computation& computation, const Schedule& schedule);

}  // namespace tileplan::test
