// SPDX-License-Identifier: Apache-2.0
// Kernels compute nhwc: what it costs to bring nchw activations there and back. models/README.md
// eq. (R).
#pragma once

#include "nest.h"
#include "tileplan/machine.h"

namespace tileplan {

/// The layout in which the loops find the input or the output: the schedule's, or nhwc where they
/// cannot read or write nchw.
Layout layout_in_loops(const Computation& computation, const Schedule& schedule, const Nest& nest,
                       Operand operand);

/// Seconds of the transpositions before and after the loops, nothing of which is hidden behind
/// computation. Zero where kernels read or write nchw as it is: an input without the vectorised
/// dim.
struct Repack {
  double input = 0;   ///< nchw to nhwc
  double output = 0;  ///< nhwc to nchw

  double seconds() const { return input + output; }
};

/// Of `nest`, whose schedule is `schedule`. A tensor of `b` bytes is read, and its copy read for
/// ownership and written, through the link between the smallest cache that holds both and the one
/// before it (the first cache's own link when that one holds them, which is too much):
/// `2 b / BW_read + b / BW_write`, or 1.8 cycles per element when that is longer, eq. (R). `cores`
/// share the cycles, and what does not go through a shared cache's link. Bytes that an epilogue
/// reads do not count. Zero without caches. Requires: cores >= 1. Throws Error as `layout_of` does.
Repack repack(const Computation& computation, const Schedule& schedule, const Nest& nest,
              const Machine& machine, int cores = 1);

}  // namespace tileplan
