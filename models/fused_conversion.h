// SPDX-License-Identifier: Apache-2.0
// This file tells whether kernels convert finished sums to the type of the output when they store
// them.
#pragma once

#include "nest.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Returns true when kernels on `unit` have code that converts sums in registers for some schedule
/// of `computation`.
bool has_fused_conversion(const Computation& computation, const VectorUnit& unit);

/// Returns true when kernels on `unit` convert sums to the type of the output while the sums are in
/// registers. Kernels for AVX-512 do so from s32 to bytes and f32, and from f32 to f16 and, where
/// `unit` multiplies bf16, to bf16. Vectors must not hold pixels, and the output must fill its
/// blocks of channels. Emitted C, Winograd convolutions, packed outputs and non-temporal stores
/// have no such code. The caller checks that the loops write the layout of the output
/// (layout_in_loops). If the result is false, sums of another type than the output are converted by
/// a pass after the loops, eq. (R). The epilogue and zero points that differ by pixel can also
/// require that pass, but this function does not know them.
bool converts_in_registers(const Computation& computation, const Marks& schedule, const Nest& nest,
                           const VectorUnit& unit);

}  // namespace tileplan
