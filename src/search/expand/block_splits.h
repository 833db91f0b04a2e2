// SPDX-License-Identifier: Apache-2.0
// Loops that cut the blocks of a layout, split where they do.
#pragma once

#include <optional>

#include "computation.h"
#include "nest.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// `schedule`, whose nest is `nest`, with the innermost loop that cuts blocks of its layouts split
/// in two: as many trips as fill a block inside, the rest outside. Nothing when no loop cuts one,
/// or its trips do not fill whole blocks. Its input is packed where it was. Example: 32 groups of 2
/// channels in blocks of 16 channels are T(4,g), T(8,g).
std::optional<Schedule> split_at_blocks(const Computation& computation, const Schedule& schedule,
                                        const Nest& nest);

}  // namespace tileplan
