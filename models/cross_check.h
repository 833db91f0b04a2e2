// SPDX-License-Identifier: Apache-2.0
// This function checks the closed form of footprints against isl's exact counts.
#pragma once

#include "computation.h"

namespace tileplan {

/// Aborts when `card` differs from isl_set_count_val, because every model would then be wrong. Each
/// index of several iterators is checked over five boxes of up to four iterations per dimension.
void cross_check_footprints(const Computation& computation);

}  // namespace tileplan
