// SPDX-License-Identifier: Apache-2.0
// This file measures the cycles of assembled Winograd transforms, for all tiles that a calibration
// measures or for one tile.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "calibrate_kernels.h"
#include "gated_timer.h"
#include "tileplan/machine.h"
#include "winograd_matrices.h"

namespace tileplan {

/// Returns the cycles of the transforms as medians of up to `samples` samples, or nothing when
/// other programs disturbed all of five attempts. Requires two cache levels.
std::optional<TransformRate> transform_cycles(const WinogradTile& tile, const Machine& machine,
                                              GatedTimer& timer, int samples);

/// Returns the Winograd tiles of every supported size along both directions, and along the width
/// alone. The rates of other tiles follow from the rates of these tiles (winograd_transforms.h).
std::vector<WinogradTile> calibrated_tiles();

/// Measures each of calibrated_tiles() until two results agree or no time is left. Replaces the
/// rates of the transforms in `machine`. Requires two cache levels.
RoundCounts measure_transforms(Machine& machine, GatedTimer& timer, int samples,
                               const std::function<bool()>& time_left);

}  // namespace tileplan
