// SPDX-License-Identifier: Apache-2.0
// This file sums the input over the channels and taps of each output, for zero points of weights.
#pragma once

#include <cstdint>

#include "task_range.h"
#include "zero_points.h"

namespace tileplan {

/// Writes to `sums`, for each pixel in `range` and each group, the sum over the channels of the
/// group. `range` counts the pixels of all images. Pixel p has the sums from index p * plan.groups
/// on.
void sum_channels(const ChannelSums& plan, const char* input, std::int32_t* sums, TaskRange range);

/// Writes to `window_sums`, for each output pixel in `range` and each group, the total of
/// `channel_sums` over the taps that lie inside the input. `range` counts the output pixels of all
/// images.
void sum_windows(const ZeroPoints& zero_points, const std::int32_t* channel_sums,
                 std::int32_t* window_sums, TaskRange range);

}  // namespace tileplan
