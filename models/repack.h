// SPDX-License-Identifier: Apache-2.0
// These functions tell in which layouts the loops read and write tensors, and model conversions of
// activations between layouts: models/README.md eq. (R).
#pragma once

#include <optional>

#include "flat.h"

namespace tileplan {

/// Returns the layout of the input or of the output while the loops run. It is the schedule's
/// layout, with these exceptions. Winograd convolutions use nhwc in place of nchw, because their
/// transforms use vectors of channels. An input that is copied, because the loops need strips,
/// another type or zeros, is nhwc unless it is plain. With vectors of channels or groups, a tensor
/// that has the vectorised dimension is nhwc in place of nchw. With vectors of pixels, an nhwc
/// output whose pixels are not contiguous is nchw, but an input that need not be copied keeps its
/// layout, because boxes of it are packed when they are needed.
Layout layout_in_loops(const Computation& computation, const Marks& schedule, const Nest& nest,
                       Operand operand);

/// Returns the bytes of one finished element of the output when the loops write it: those of its
/// type where kernels for `unit` convert sums in registers and write the caller's tensor, and those
/// of a sum otherwise.
std::int64_t finished_bytes(const Computation& computation, const Marks& schedule, const Nest& nest,
                            const VectorUnit& unit);

/// Returns layout_in_loops() of the input with its strides, or nothing when the input is packed.
/// Throws Error as `layout_of` does.
std::optional<TensorLayout> input_in_place(const Computation& computation, const Marks& schedule,
                                           const Nest& nest);

/// Returns the number of loops outside the packed box of `operand`. Requires that `schedule` packs
/// the operand (pack_input, pack_weights or pack_output).
std::size_t loops_around_box(const Marks& schedule, const Nest& nest,
                             Operand operand = Operand::input);

/// Returns the layout of weights that the loops read in place, or nothing when the weights are
/// packed.
std::optional<TensorLayout> weights_in_place(const Computation& computation, const Marks& schedule);

/// Returns the layout of the boxes of the input that are packed inside the outermost `outside`
/// loops. The layout is large enough for every part of a list of blocks (lambda) among these loops.
TensorLayout packed_boxes_layout(const Computation& computation, const Nest& nest,
                                 std::size_t outside);

/// Returns the layout of the input that microkernels read, in place or packed. Throws Error as
/// layout_of() and packed_layout() do.
TensorLayout read_layout(const Computation& computation, const Marks& schedule, const Nest& nest);

/// Returns `traffic` with the cut and the walked box of the input clipped to one packed box, if
/// `schedule` packs the input.
FlatTraffic within_box(FlatTraffic traffic, const Marks& schedule, const Nest& nest);

/// Holds the seconds of the transpositions and conversions before and after the loops, which
/// computation does not hide. A time is zero when kernels read or write the caller's tensor in
/// place.
struct Repack {
  double input = 0, output = 0;

  double seconds() const { return input + output; }
};

/// Returns the seconds of one transposition of `elements`, each of `element_bytes`, as in repack(),
/// or 0 without caches.
double transposition_seconds(double elements, double element_bytes, const Machine& machine,
                             int cores);

/// Returns the times of the transpositions for `nest`, whose schedule is `schedule`, eq. (R). A
/// copy of `b` bytes takes the longer of `b / BW_read + b / BW_store` on a link and
/// Overheads::transposed_cycles per element. The rate of stores includes reading the destination
/// for ownership. The cycles are divided by `cores`, and the time on a link by the number of caches
/// of its level that `cores` cores use. Bytes that an epilogue reads are not counted. The result is
/// zero without caches.
Repack repack(const Computation& computation, const Marks& schedule, const Nest& nest,
              const Machine& machine, int cores = 1);

}  // namespace tileplan
