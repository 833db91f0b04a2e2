// SPDX-License-Identifier: Apache-2.0
// The closed form of footprints is checked against isl's exact counts, once per computation.
#pragma once

#include "computation.h"

namespace tileplan {

/// Aborts when `card` differs from isl_set_count_val on an index of several iterators over five
/// boxes of up to four iterations per dim, as every model would be wrong. It takes about 1 ms.
void cross_check_footprints(const Computation& computation);

}  // namespace tileplan
