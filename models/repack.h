// SPDX-License-Identifier: Apache-2.0
// These functions model conversions of activations between layouts: models/README.md eq. (R).
#pragma once

#include <optional>

#include "flat.h"

namespace tileplan {

/// Returns the layout of the input or of the output while the loops run. It is the schedule's
/// layout when that holds their vectors. Otherwise it is nhwc for vectors of channels or groups and
/// nchw for vectors of pixels. Inputs of vectors of pixels are never transposed as a whole, because
/// boxes of them are packed as they are needed.
Layout layout_in_loops(const Computation& computation, const Marks& schedule, const Nest& nest,
                       Operand operand);

/// Returns the layout of the input that the loops read in place, if any. Throws as `layout_of`.
std::optional<TensorLayout> input_in_place(const Computation& computation, const Marks& schedule,
                                           const Nest& nest);

/// Returns the number of loops outside the box that `schedule` packs. Requires pack_input.
std::size_t loops_around_box(const Marks& schedule, const Nest& nest);

/// Returns the layout of boxes of the input that are packed inside `outside` loops. It is large
/// enough for the boxes under every part of a lambda there.
TensorLayout packed_boxes_layout(const Computation& computation, const Nest& nest,
                                 std::size_t outside);

/// Returns the layout that microkernels read, in place or packed. Throws as `layout_of` does.
TensorLayout read_layout(const Computation& computation, const Marks& schedule, const Nest& nest);

/// Returns `traffic` with the boxes of the input clipped to one packed box, if any is packed.
FlatTraffic within_box(FlatTraffic traffic, const Marks& schedule, const Nest& nest);

/// Holds the seconds of the transpositions before and after the loops, which computation does not
/// hide. They are zero where kernels read or write the caller's layout (layout_in_loops).
struct Repack {
  double input = 0, output = 0;

  double seconds() const { return input + output; }
};

/// Returns the transpositions of `nest`, whose schedule is `schedule`. A tensor of `b` bytes is
/// read, and its copy read for ownership and written, through the link inside the smallest cache
/// that holds both, or through the link of the first cache when that one holds them, which is too
/// much. This takes `2 b / BW_read + b / BW_write`, or 0.8 cycles per element when that is longer,
/// eq. (R). `cores` cores share the cycles, and the links that are not shared. Bytes that an
/// epilogue reads do not count. The result is zero without caches.
Repack repack(const Computation& computation, const Marks& schedule, const Nest& nest,
              const Machine& machine, int cores = 1);

}  // namespace tileplan
