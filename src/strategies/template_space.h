// SPDX-License-Identifier: Apache-2.0
// This file encodes the knobs of AutoTVM's template for convolutions on CPUs as a second space, in
// which strategies made for AutoTVM can be judged.
#pragma once

#include "schedule_space.h"

namespace tileplan {

/// Returns the space of the template conv2d_NCHWc (TVM 0.7 to 0.18). Returns nothing for problems
/// other than dense 1-D or 2-D convolutions, and when the output channels are no whole vectors. The
/// coordinates of the space have these values, in AutoTVM's order:
///   - tile_ic: the divisors of the input channels;
///   - tile_oc: the divisors of the output channels that are whole vectors, as kernels need;
///   - tile_ow: the divisors of the output columns and the powers of two below their number, up to
///     64. If a tile does not divide the columns, a smaller one computes the rest;
///   - unroll_kw: 0 or 1; or for 1 x 1 filters tile_oh: 1 or 2 rows in a register tile.
/// A point maps to the loops of the template: n, k, h, w, c, r, s, then tile_ic channels (outside s
/// if unroll_kw is 1) around a register tile of tile_ow columns and tile_oc channels. Blocks in
/// memory have 16 channels for vectors of 16 lanes and 8 for others; in TVM they have the tiles'
/// lengths. Points whose schedule `runnable` refuses, or whose register tile has rows that do not
/// divide the output's, are invalid.
std::optional<StrategySpace> template_space(const Problem& problem, const VectorUnit& unit,
                                            Runnable runnable);

}  // namespace tileplan
