// SPDX-License-Identifier: Apache-2.0
// The loops outside microkernels call assembled code this often: models/README.md eq. (S).
#pragma once

#include "branches.h"

namespace tileplan {

/// Returns the calls of assembled code for the tiles of `branch`, one of the branches of `nest`.
/// One call runs the two innermost loops around the register tile, as long as their tiles have one
/// form. Tiles differ in form by the padding that they read, the part of the sum that they compute,
/// or a last vector that is not full. Along a loop whose tiles differ, the first trip, the last
/// trip and those between are a call each, once per trip of the loops outside it. Where only
/// vectors differ, the last trip and the others are. Loops around a lambda are never joined, nor
/// are loops around a parallel loop, of which a core runs a part. Example: 28 rows of 2 tiles of 4
/// blocks of channels are 28 calls, and 28 * 2 when the tiles of a row reach into the padding.
double dispatches_of(const Computation& computation, const Nest& nest, const Branch& branch);

/// A dispatch takes these cycles. Half computes addresses and forms, in half the pipeline is empty.
constexpr double kCyclesPerDispatch = 180;

}  // namespace tileplan
