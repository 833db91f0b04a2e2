// SPDX-License-Identifier: Apache-2.0
// This file turns loops over strips (strips.h) into loops over elements, which other tuners have.
#pragma once

#include "strips.h"

namespace tileplan {

/// Describes one problem with loops over elements and with the loops of its kernels. Both are equal
/// unless kernels have strips.
struct StripLoops {
  Computation elements, strips;
};

/// Returns the loops of schedules like `schedule`, which run on `unit`.
StripLoops strip_loops(const Problem& problem, const Schedule& schedule, const VectorUnit& unit);

/// Returns the reason why no loops over elements visit whole strips, or nothing.
std::optional<std::string> why_no_element_loops(const StripLoops& loops);

/// Returns `schedule`, whose loops visit strips, with a further loop over the elements of a strip.
/// It is the innermost loop around the register tile: for strips of 4, [T(16,c), U(2,k), V(k)]
/// becomes [T(16,c), T(4,c), U(2,k), V(k)]. Requires: why_no_element_loops() returns nothing.
Schedule element_schedule(Schedule schedule, const StripLoops& loops);

}  // namespace tileplan
