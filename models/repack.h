// SPDX-License-Identifier: Apache-2.0
// These functions model conversions of activations between layouts: models/README.md eq. (R).
#pragma once

#include <optional>

#include "flat.h"

namespace tileplan {

/// Returns the layout of the input or of the output while the loops run. The result is the
/// schedule's layout when vectors are contiguous in it. Otherwise the result is nhwc for vectors of
/// channels or groups and nchw for vectors of pixels. With vectors of pixels the input is never
/// transposed as a whole, because its boxes are packed when they are needed.
Layout layout_in_loops(const Computation& computation, const Marks& schedule, const Nest& nest,
                       Operand operand);

/// Returns the layout of the input that the loops read in place, if any. Throws Error as
/// `layout_of` does.
std::optional<TensorLayout> input_in_place(const Computation& computation, const Marks& schedule,
                                           const Nest& nest);

/// Returns the number of loops outside the box that `schedule` packs. Requires pack_input.
std::size_t loops_around_box(const Marks& schedule, const Nest& nest);

/// Returns the layout of the boxes of the input that are packed inside the outermost `outside`
/// loops. The layout is large enough for the box of every part of a lambda among these loops.
TensorLayout packed_boxes_layout(const Computation& computation, const Nest& nest,
                                 std::size_t outside);

/// Returns the layout of the input that microkernels read, in place or packed. Throws Error as
/// `layout_of` does.
TensorLayout read_layout(const Computation& computation, const Marks& schedule, const Nest& nest);

/// Returns `traffic` with the boxes of the input clipped to one packed box, if `schedule` packs the
/// input.
FlatTraffic within_box(FlatTraffic traffic, const Marks& schedule, const Nest& nest);

/// Holds the seconds of the transpositions before and after the loops, which computation does not
/// hide. A time is zero where kernels read or write the caller's layout (layout_in_loops).
struct Repack {
  double input = 0, output = 0;

  double seconds() const { return input + output; }
};

/// Returns the times of the transpositions for `nest`, whose schedule is `schedule`. A tensor of
/// `b` bytes is read, and its copy read for ownership and written, through the link inside the
/// smallest cache that holds both, or through the link of the first cache when that cache holds
/// both, which overestimates the time. A copy takes `2 b / BW_read + b / BW_write`, or 0.8 cycles
/// per element when that is longer, eq. (R). The cycles are divided by `cores`, and the time on a
/// link by the number of caches of its level that `cores` cores use. Bytes that an epilogue reads
/// do not count. The result is zero without caches.
Repack repack(const Computation& computation, const Marks& schedule, const Nest& nest,
              const Machine& machine, int cores = 1);

}  // namespace tileplan
