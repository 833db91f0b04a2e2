// SPDX-License-Identifier: Apache-2.0
// This model counts the calls of assembled code by the loops around it: models/README.md eq. (S).
#pragma once

#include "branches.h"

namespace tileplan {

/// Returns the number of times that the interpreted loops call assembled code for the tiles of
/// `branch`, one of the branches of `nest`. One call runs those tiles of the two innermost active
/// loops around the microkernel that need the same kernel variant. A loop whose tiles need several
/// variants takes one call for each variant. No call runs a loop that is outside such a loop,
/// outside a list of blocks (lambda) or outside a parallel loop. Example: 28 rows of 2 tiles of 4
/// blocks of channels need 28 calls, or 28 * 2 when the tiles of a row read padding.
double dispatches_of(const Computation& computation, const Nest& nest, const Branch& branch);

}  // namespace tileplan
