// SPDX-License-Identifier: Apache-2.0
// This file turns loops over strips (strips.h) into loops over elements, which other tuners have.
#pragma once

#include "strips.h"

namespace tileplan {

/// Describes one problem twice: by loops over elements, and by the loops of its kernels. The loops
/// are equal unless kernels run over strips (polyhedral/strips.h).
struct StripLoops {
  Computation elements, strips;
};

/// Returns both descriptions of `problem` in the dimensions that `schedule` names, for kernels on
/// `unit`.
StripLoops strip_loops(const Problem& problem, const Schedule& schedule, const VectorUnit& unit);

/// Returns the reason why no loops over elements access strip after strip, or nothing if there are
/// such loops. A single strip need not be full.
std::optional<std::string> why_no_element_loops(const StripLoops& loops);

/// Returns `schedule`, whose loops run over strips, with one more loop over the elements of a
/// strip if it has several. The new loop is the innermost one around the register tile: for strips
/// of 4, [T(16,c), U(2,k), V(k)] becomes [T(16,c), T(4,c), U(2,k), V(k)]. Requires:
/// why_no_element_loops() returns nothing.
Schedule element_schedule(Schedule schedule, const StripLoops& loops);

}  // namespace tileplan
