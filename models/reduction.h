// SPDX-License-Identifier: Apache-2.0
// Counts the runs of contiguous steps of a reduction, and the steps that fall into the padding.
#pragma once

#include "branches.h"
#include "computation.h"

namespace tileplan {

/// Returns how many reduction steps of one microkernel call follow each other at equal distances in
/// the input, padding left aside. The call is one loop over such a run after another, and switching
/// costs `kCyclesPerRun`. models/README.md eq. (S). Example: 3x3 taps of 64 channels in nhwc, loops
/// r, s, c: a run is a row of 3 * 64 steps; in nChw16c it is 16.
double steps_per_run(const Computation& computation, const Branch& branch,
                     const TensorLayout& input);

/// Cycles between two runs of one call: new pointers and an indirect jump, partly hidden behind
/// multiply-adds that are still waiting (docs/experiments.md).
constexpr double kCyclesPerRun = 4;

/// Returns the share of the multiply-adds that read the array. The others read padding and are
/// skipped, except along `vectorised`, where zeros are multiplied. Example: 3 taps over
/// 14 outputs, one row of padding on both sides: (3*14 - 2) / (3*14).
double array_share(const Computation& computation, Dim vectorised);

/// Returns the share of the footprint of the whole input, padding included, that the array holds.
/// Example: 3 taps over 14 outputs, one row of padding on both sides: 14 / 16.
double stored_share(const Computation& computation);

/// Returns the share of the weights whose taps meet the array at some output of a tile like `box`,
/// averaged over the tiles of all outputs. The others are not read there, except for taps along
/// `vectorised`. It is at least `array_share`. Example: 3 taps over an array of 1 with one row of
/// padding on both sides: 1 / 3; 3 taps 12 apart over 14 outputs, 12 rows of padding: 1 in one
/// tile, (2 + 14 + 2) / 42 in tiles of one row.
double weights_share(const Computation& computation, Dim vectorised, const Tile& box);

}  // namespace tileplan
