// SPDX-License-Identifier: Apache-2.0
// This model counts the calls of assembled code from the loops outside: models/README.md eq. (S).
#pragma once

#include "branches.h"

namespace tileplan {

/// Returns the number of calls of assembled code for the tiles of `branch`, one of the branches of
/// `nest`. One call runs the two innermost loops around the register tile when all their tiles need
/// the same kernel variant. The variant depends on the padding that a tile reads, on whether it
/// begins or ends the sum, and on whether its last vector is full. A loop along which tiles differ
/// needs up to three calls: one for the first trip, one for the last and one for all others. It
/// needs two when only the last vector differs. Each call is repeated for each trip of the loops
/// outside. A call never runs a loop around a lambda or around a parallel loop, because a core runs
/// only a part of that loop. Example: 28 rows of 2 tiles of 4 blocks of channels need 28 calls, or
/// 28 * 2 when the tiles of a row read padding.
double dispatches_of(const Computation& computation, const Nest& nest, const Branch& branch);

/// One call of assembled code takes this many cycles in addition. About half go to computing
/// addresses and selecting the kernel variant, and the pipeline is empty during the other half.
constexpr double kCyclesPerDispatch = 180;

}  // namespace tileplan
