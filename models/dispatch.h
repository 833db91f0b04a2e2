// SPDX-License-Identifier: Apache-2.0
// How often the walk over the loops calls assembled code. models/README.md eq. (S).
#pragma once

#include "branches.h"
#include "computation.h"

namespace tileplan {

/// Calls of assembled code for the tiles of `branch`, one of the branches of `nest`. One call runs
/// the two innermost loops around the register tile, unless tiles differ in the padding that they
/// read, in the part of the sum that they compute, or in whether their last vector is full: of a
/// loop along which they do, the first trip, the last, and those between are a call each (the last
/// and the others, where only vectors differ), once per trip of the loops outside it. So are loops
/// around a lambda, and around a parallel loop, of which a core runs a part. Example: 28 rows of 2
/// tiles of 4 blocks of channels are 28 calls without padding, and 28 * 2 when the tiles of a row
/// reach into it.
double dispatches_of(const Computation& computation, const Nest& nest, const Branch& branch);

/// Cycles that one costs: half for finding addresses and forms, half for a pipeline that runs
/// empty. 28 rows less in one call took 1.8 to 1.9 us less, 1x1 layers of 32 and 64 channels,
/// Sapphire Rapids, 2026-11-21.
constexpr double kCyclesPerDispatch = 180;

}  // namespace tileplan
