// SPDX-License-Identifier: Apache-2.0
// This file uses isl to count the elements that a box accesses. The box may begin anywhere.
#pragma once

#include <cstdint>

#include "computation.h"

namespace tileplan::oracle {

/// Returns the exact number of distinct elements of tensor `operand` that the box `tile` touches
/// when its first iteration is `origin`. With `clip`, elements in the padding are not counted.
std::int64_t count_elements(const Computation& computation, Operand operand, const Tile& origin,
                            const Tile& tile, bool clip);

}  // namespace tileplan::oracle
