// SPDX-License-Identifier: Apache-2.0
// Where the input of a tiled schedule is packed.
#pragma once

#include <vector>

#include "computation.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// `schedule` with the input packed inside one loop, once for each outer loop that the input
/// depends on. Outer: plain loops outside any lambda and outside the reductions directly around the
/// register tile. Empty when all tensors have the vectorised dim: such
/// boxes cannot be packed. With vectors of pixels never empty: without such a loop the whole input
/// is packed, inside a first loop of one trip.
std::vector<Schedule> packed_variants(const Computation& computation, const Schedule& schedule);

}  // namespace tileplan
