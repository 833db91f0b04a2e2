// SPDX-License-Identifier: Apache-2.0
// These functions count runs of contiguous reduction steps, and reads of padding.
#pragma once

#include "branches.h"

namespace tileplan {

/// Returns the length of a run: the number of consecutive reduction steps of one microkernel call
/// that have a constant stride in the input, if padding is ignored. The call executes one loop per
/// run, and each change of the run costs `kCyclesPerRun`: models/README.md eq. (S). Example: 3x3
/// taps of 64 channels in nhwc, loops r, s, c: a run is a row of 3 * 64 steps. In nChw16c it is 16.
double steps_per_run(const Computation& computation, const Branch& branch,
                     const TensorLayout& input);

/// New pointers and an indirect jump between two runs of one call take these cycles. Multiply-adds
/// that still wait for operands hide a part of this time (docs/experiments.md).
constexpr double kCyclesPerRun = 4;

/// Returns the share of the multiply-adds that read the unpadded input. The others read padding and
/// are skipped, except along `vectorised`, where zeros are multiplied. Example: 3 taps, 14 outputs,
/// one row of padding on both sides: (3*14 - 2) / (3*14).
double array_share(const Computation& computation, Dim vectorised);

/// Returns the number of stored elements of the whole input divided by its footprint with padding.
/// Example: 3 taps, 14 outputs, one row of padding on both sides: 14 / 16.
double stored_share(const Computation& computation);

/// Returns the share of the weights whose taps read the unpadded input at some output of a tile
/// like `box`, averaged over the tiles of all outputs. The tile does not read the other weights,
/// except for taps along `vectorised`. The result is at least `array_share`. Example: 3 taps, an
/// input of 1, one row of padding on both sides: 1 / 3. With 3 taps 12 apart, 14 outputs and 12
/// rows of padding the result is 1 for one tile of all rows and (2 + 14 + 2) / 42 for tiles of one
/// row.
double weights_share(const Computation& computation, Dim vectorised, const Tile& box);

}  // namespace tileplan
