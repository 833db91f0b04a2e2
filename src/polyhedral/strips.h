// SPDX-License-Identifier: Apache-2.0
// Instructions for dot products read strips: neighbouring channels whose products they add. The
// loops of kernels with these instructions compute on strips instead of elements.
#pragma once

#include <optional>

#include "loop_types.h"
#include "merge_dims.h"
#include "tensor_layout.h"

namespace tileplan {

/// Returns the computation that the loops of a kernel for `types` execute; `elements` describes it
/// element by element. A strip is a group of neighbouring elements that one instruction multiplies
/// and adds. The dimension of the strips (c of a convolution, k of a product) counts strips, and
/// its last strip may be incomplete. If a group has few channels, strips join the channels of all
/// filter columns, column by column, and the loop over these columns has one iteration; a 3x3
/// filter of one channel then takes 3 steps of 3 bytes. A depthwise convolution has strips of
/// weights only, each with one element, if kernels make strips of its input in registers
/// (`types.fused_conversions`). Such kernels also widen bf16 and f16 in registers. The output holds
/// sums. The input is marked as copied if the loops need a copy of it in every layout, and the
/// output if its type is not that of the sums. Returns `elements` for f32 and f64. Throws Error for
/// a relation of other types.
Computation in_strips(const Computation& elements, const LoopTypes& types);

/// Returns the computation of the loops that `schedule` orders on `unit`, which has the schedule's
/// ISA. Throws Error as in_strips(), loop_types() and computation_of() do.
Computation loop_computation(const Problem& problem, const Schedule& schedule,
                             const VectorUnit& unit);

/// Returns the number of elements per strip when `channels` channels are divided into strips.
/// Without AMX, this is LoopTypes::strip. A row of an AMX tile holds up to 64 bytes. The strips
/// then have equal sizes, the smallest multiple of 4 bytes for which as few strips as possible hold
/// all channels. Example: 96 bytes are 2 strips of 48.
int fitted_strip(const LoopTypes& types, std::int64_t channels);

/// Returns the dimension of the filter columns that strips join, or nothing. `strips` is the result
/// of in_strips(elements).
std::optional<Dim> joined_taps(const Computation& elements, const Computation& strips);

/// Returns true when kernels make strips of single elements of the input, or widen them, in
/// registers. `strips` is the result of in_strips().
bool reads_single_elements(const Computation& strips);

/// Returns the dimension of the strips of a convolution or a matrix product.
Dim strip_dim(const Computation& computation);

/// Throws Error when kernels cannot take plain weights: when the loops, which execute
/// `computation`, read a copy of the weights, or read elements outside the weights.
void check_plain_weights(const Computation& computation);

}  // namespace tileplan
