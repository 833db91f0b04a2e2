// SPDX-License-Identifier: Apache-2.0
// This file lists the places where the input and the weights of a schedule may be packed.
#pragma once

#include <vector>

#include "computation.h"
#include "tileplan/machine.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Returns one copy of `schedule` for each plain loop outside lambdas and inner reductions that the
/// input depends on, with the input packed inside that loop. The list is empty when all tensors
/// have the vectorised dim, because their boxes cannot be packed. With vectors of pixels it is
/// never empty: if no loop qualifies, a first loop of one trip packs the whole input.
std::vector<Schedule> input_packings(const Computation& computation, const Schedule& schedule);

/// Returns the variants of `schedule` for plain weights: one that reads them in place, if `unit`
/// can, one for each loop as in input_packings() with the weights packed inside it, and one in
/// which a first loop of one trip packs all of them.
std::vector<Schedule> plain_weights_forms(const Computation& computation, const VectorUnit& unit,
                                          const Schedule& schedule);

}  // namespace tileplan
