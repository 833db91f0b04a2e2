// SPDX-License-Identifier: Apache-2.0
// What a reduction costs beside its steps: pieces that are not contiguous, and steps that fall into
// the padding.
#pragma once

#include "branches.h"
#include "computation.h"

namespace tileplan {

/// Reduction steps of one microkernel call that follow each other at equal distances in the input,
/// padding left aside. The call is one loop over such a run after another; switching costs
/// `kCyclesPerRun`. models/README.md eq. (S). Example: 3x3 taps of 64 channels in nhwc, loops r, s,
/// c: a run is a row of 3 * 64 steps; in nChw16c it is 16.
double steps_per_run(const Computation& computation, const Branch& branch,
                     const TensorLayout& input);

/// Cycles between two runs of one call: new pointers and an indirect jump, partly hidden behind
/// multiply-adds that are still waiting. Measured on Zen 5 as (t(runs of 16) - t(runs of 512)) /
/// runs on 7x7x512 outputs, 2026-11-21.
constexpr double kCyclesPerRun = 4;

/// Share of the multiply-adds that read the array; the others read padding and are skipped, but for
/// padding along `vectorised`, whose zeros are multiplied. 1 without padding. Example: 3 taps over
/// 14 outputs, one row of padding on both sides: (3*14 - 2) / (3*14).
double array_share(const Computation& computation, Dim vectorised);

/// Share of the footprint of the whole input, padding included, that the array holds. 1 without
/// padding. Example: 3 taps over 14 outputs, one row of padding on both sides: 14 / 16.
double stored_share(const Computation& computation);

/// Share of the weights whose taps meet the array at some output of a tile like `box`, mean over
/// the tiles of all outputs; the others are not read there, but for taps along `vectorised`. At
/// least `array_share`. Example: 3 taps over an array of 1 with one row of padding on both sides:
/// 1 / 3; 3 taps 12 apart over 14 outputs, 12 rows of padding: 1 in one tile, (2 + 14 + 2) / 42 in
/// tiles of one row.
double weights_share(const Computation& computation, Dim vectorised, const Tile& box);

}  // namespace tileplan
