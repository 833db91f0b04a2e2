// SPDX-License-Identifier: Apache-2.0
// These functions count runs of reduction steps at a constant stride, and reads of padding.
#pragma once

#include "branches.h"

namespace tileplan {

/// Returns the length of a run: the number of consecutive reduction steps of one microkernel call
/// that have a constant stride in the input, if padding is ignored. A call executes one loop per
/// run, and each change to the next run costs Overheads::run_cycles: models/README.md eq. (S).
/// Example: 3x3 taps of 64 channels in loops r, s, c have runs of 3 * 64 steps in nhwc and of 16 in
/// nChw16c.
double steps_per_run(const Computation& computation, const Branch& branch,
                     const TensorLayout& input);

/// Returns the share of the multiply-adds that are executed because they read stored input
/// elements. All others read padding and are skipped. Padding along `vectorised` counts as stored,
/// because its zeros are multiplied, and so does padding of an index of other than two iterators.
/// Example: 3 taps and 14 outputs with one row of padding on both sides give (3*14 - 2) / (3*14).
double array_share(const Computation& computation, Dim vectorised);

/// Returns the number of stored elements of the whole input divided by its footprint with padding,
/// but at most 1. Example: 3 taps and 14 outputs with one row of padding on both sides give 14 /
/// 16.
double stored_share(const Computation& computation);

/// Returns the share of the weights that are read, because their taps meet stored input elements at
/// some output of a tile like `box`, averaged over all tiles. Taps along `vectorised`, and those in
/// an index of other than two iterators, count as read. Example: 3 taps that are 12 apart, 14
/// outputs and 12 rows of padding give 1 for one tile of all rows and 18 / 42 for tiles of one row.
double weights_share(const Computation& computation, Dim vectorised, const Tile& box);

}  // namespace tileplan
