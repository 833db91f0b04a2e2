// SPDX-License-Identifier: Apache-2.0
// Touched elements as isl counts them, wherever the box begins.
#pragma once

#include <cstdint>

#include "computation.h"

namespace tileplan::oracle {

/// Exact number of distinct elements of tensor `operand` that the box `tile` touches when its first
/// iteration is `origin`; with `clip`, elements of the padding do not count. isl_set_count_val.
std::int64_t count_elements(const Computation& computation, Operand operand, const Tile& origin,
                            const Tile& tile, bool clip);

}  // namespace tileplan::oracle
