// SPDX-License-Identifier: Apache-2.0
// This file splits loops where they cut the blocks of a layout.
#pragma once

#include <optional>

#include "computation.h"
#include "nest.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Splits the innermost of the loops outside the microkernel that cut a block of a layout
/// (cut_block), and returns the result. `nest` is the nest of `schedule`. The new inner loop has as
/// many trips as fill the block that is full first, rounded down. Marks that pack the input or the
/// weights inside the split loop name the new inner loop. Returns nothing when no loop cuts a
/// block, when this number of trips is less than 2 or does not divide the loop into several parts,
/// or when the loop that cuts a block, or a loop inside it, has no constant trips because of a list
/// of blocks (lambda). Example: 32 groups of 2 channels in blocks of 16 channels become T(4,g),
/// T(8,g).
std::optional<Schedule> split_at_blocks(const Computation& computation, const Schedule& schedule,
                                        const Nest& nest);

}  // namespace tileplan
