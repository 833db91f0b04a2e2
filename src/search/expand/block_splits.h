// SPDX-License-Identifier: Apache-2.0
// This file splits loops where they cut the blocks of a layout.
#pragma once

#include <optional>

#include "computation.h"
#include "nest.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Splits the innermost loop of `schedule`, whose nest is `nest`, that cuts blocks of its layouts,
/// and returns the result. The new inner loop has as many trips as fill a block. The mark `pack`
/// still refers to the same loop. Returns nothing when no loop cuts a block, or when no number of
/// trips fills whole blocks. Example: 32 groups of 2 channels in blocks of 16 channels become
/// T(4,g), T(8,g).
std::optional<Schedule> split_at_blocks(const Computation& computation, const Schedule& schedule,
                                        const Nest& nest);

}  // namespace tileplan
