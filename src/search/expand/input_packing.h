// SPDX-License-Identifier: Apache-2.0
// This file lists the places where the input of a tiled schedule may be packed.
#pragma once

#include <vector>

#include "computation.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Returns `schedule` with the input packed inside one outer loop, once for each outer loop that
/// the input depends on. Outer loops are plain loops outside any lambda and outside the reductions
/// around the register tile. The list is empty when all tensors have the vectorised dim, because
/// their boxes cannot be packed. With vectors of pixels the list is never empty: if no outer loop
/// qualifies, a first loop of one trip packs the whole input.
std::vector<Schedule> input_packings(const Computation& computation, const Schedule& schedule);

}  // namespace tileplan
