// SPDX-License-Identifier: Apache-2.0
// Kernels compute in the layout that holds their vectors: what it costs to bring activations there
// and back. models/README.md eq. (R).
#pragma once

#include <cstddef>
#include <optional>

#include "flat.h"
#include "nest.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Cycles per element of `transpose` in src/codegen, squares through registers. Fitted by hand to
/// images of 196 KiB and 784 KiB, channels x pixels and back: 0.20 to 0.28 ns at about 3 GHz; of 3
/// and 1.5 MiB, in which moving counts, 0.41 to 0.58 ns. Sapphire Rapids virtual machine,
/// 2026-11-21. Not tested where the images are a power of two apart, and not on other machines.
constexpr double kCyclesPerElement = 0.8;

/// The layout in which the loops find the input or leave the output: the schedule's, or, of nhwc
/// and nchw, the one that holds their vectors, of channels or groups in nhwc, of pixels in nchw.
/// Inputs of vectors of pixels are never transposed as a whole: boxes of them are packed as they
/// are needed.
Layout layout_in_loops(const Computation& computation, const Marks& schedule, const Nest& nest,
                       Operand operand);

/// How the input is stored that the loops read in place; nothing when they read a packed copy.
/// Throws Error as `layout_of` does.
std::optional<TensorLayout> input_in_place(const Computation& computation, const Marks& schedule,
                                           const Nest& nest);

/// Loops outside the box that `schedule` packs. Requires: pack_input.
std::size_t loops_around_box(const Marks& schedule, const Nest& nest);

/// The layout of boxes of the input that are packed inside `outside` loops, large enough for the
/// boxes under every part of a lambda there.
TensorLayout packed_boxes_layout(const Computation& computation, const Nest& nest,
                                 std::size_t outside);

/// How the microkernels find the input: in place or in a packed box. Throws Error as `layout_of`
/// does.
TensorLayout read_layout(const Computation& computation, const Marks& schedule, const Nest& nest);

/// `traffic` with the boxes of the input, those that are held and those that are walked, no larger
/// than one packed box; as it is where nothing is packed.
FlatTraffic within_box(FlatTraffic traffic, const Marks& schedule, const Nest& nest);

/// Seconds of the transpositions before and after the loops, nothing of which is hidden behind
/// computation. Zero where kernels read or write the caller's layout (layout_in_loops).
struct Repack {
  double input = 0;   ///< nchw to nhwc
  double output = 0;  ///< nhwc to nchw, or back

  double seconds() const { return input + output; }
};

/// Of `nest`, whose schedule is `schedule`. A tensor of `b` bytes is read, and its copy read for
/// ownership and written, through the link between the smallest cache that holds both and the one
/// before it (the first cache's own link when that one holds them, which is too much):
/// `2 b / BW_read + b / BW_write`, or 0.8 cycles per element when that is longer, eq. (R). `cores`
/// share the cycles, and what does not go through a shared cache's link. Bytes that an epilogue
/// reads do not count. Zero without caches. Requires: cores >= 1. Throws Error as `layout_of` does.
Repack repack(const Computation& computation, const Marks& schedule, const Nest& nest,
              const Machine& machine, int cores = 1);

}  // namespace tileplan
