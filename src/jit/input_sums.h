// SPDX-License-Identifier: Apache-2.0
// This file sums the input over the channels and taps of each output, for zero points of weights.
#pragma once

#include <cstdint>

#include "task_range.h"
#include "zero_points.h"

namespace tileplan {

/// Writes to `sums` the sums over channels of the pixels in `range`, which counts pixels of all
/// images.
void sum_channels(const ChannelSums& plan, const char* input, std::int32_t* sums, TaskRange range);

/// Writes to `window_sums`, for each output pixel in `range` of all images, the total of
/// `channel_sums` over the taps that lie inside the input.
void sum_windows(const ZeroPoints& zero_points, const std::int32_t* channel_sums,
                 std::int32_t* window_sums, TaskRange range);

}  // namespace tileplan
