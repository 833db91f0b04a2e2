// SPDX-License-Identifier: Apache-2.0
// The element types of a problem and the instructions of a CPU decide what the loops multiply.
#pragma once

#include "tileplan/machine.h"

namespace tileplan {

/// Describes the products of a kernel. Its loops read strips: `strip` neighbouring channels, which
/// one or two instructions (instructions_of()) multiply and add to one sum. A tile of AMX takes
/// strips of up to 64 bytes; in_strips() chooses a size that fits the channels. Where the input has
/// another type than `input`, the loops read a copy, unless kernels convert it in registers.
struct LoopTypes {
  Arithmetic arithmetic = Arithmetic::fma;
  ElementType input = ElementType::f32, weights = ElementType::f32, sums = ElementType::f32;
  int strip = 1;
  /// Tells whether kernels invert the highest bit of each input, which adds 128 to s8 and subtracts
  /// 128 from u8, because vpdpbusd multiplies u8 by s8. The sums then need a correction.
  bool flips_input = false;
  /// Tells whether the weights are the unsigned factor of vpdpbusd.
  bool unsigned_weights = false;
  /// Tells whether kernels may make strips, widen bf16 and f16, and convert sums in registers
  /// (DotProducts). Only kernels for AVX-512 do so.
  bool fused_conversions = true;

  bool operator==(const LoopTypes&) const = default;
};

/// Returns the products for tensors of `types` on `unit`. Throws Error when no kernels exist for
/// these types on the unit's ISA.
LoopTypes loop_types(const TensorTypes& types, const VectorUnit& unit);

/// Returns true when `tiles`, a unit of AMX, multiplies elements of `types`.
bool has_tiles(const TensorTypes& types, const VectorUnit& tiles);

/// Returns the number of instructions that one multiply-add takes: 2 for vpmulld, and for vpmaddwd
/// on CPUs without vpdpwssd, because vpaddd adds their products. It is 1 for all others.
int instructions_of(Arithmetic arithmetic, const DotProducts& dots);

}  // namespace tileplan
