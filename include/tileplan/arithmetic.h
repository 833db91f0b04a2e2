// SPDX-License-Identifier: Apache-2.0
// This header names the instructions by which microkernels multiply elements and add the products.
#pragma once

#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Names how a microkernel multiplies and adds vectors. The instructions are those of x86. C for
/// NEON uses instructions of NEON for the same products.
enum class Arithmetic {
  fma,  ///< Products of f32 or f64 are added by vfmadd.
  /// Elements of bf16 and f16 are widened to f32, and their products are added by vfmadd.
  widened_fma,
  dot_bf16,      ///< vdpbf16ps adds two products of bf16 to each sum.
  dot_bytes,     ///< vpdpbusd adds four products of bytes to each sum.
  dot_s16,       ///< vpdpwssd, or else vpmaddwd with vpaddd, adds two products of s16 to each sum.
  multiply_s32,  ///< vpmulld and vpaddd add one product of s32 to each sum.
  tile_bf16,     ///< tdpbf16ps adds up to 32 products of bf16 to each sum of a tile.
  tile_bytes     ///< tdpbusd and its variants add up to 64 products of bytes to each sum of a tile.
};

/// Returns the largest number of products that one instruction adds to each sum of a vector: 1, 2
/// or 4, and 32 or 64 for tiles of AMX.
int products_per_lane(Arithmetic arithmetic);

/// Returns true for the instructions of AMX, which multiply tiles.
bool uses_tiles(Arithmetic arithmetic);

/// Tells which instructions for dot products a vector unit has, and how kernels use them.
struct DotProducts {
  /// If true, the unit has vpdpbusd and vpdpwssd (AVX512_VNNI) or, in tiles, tdpbusd (AMX-INT8).
  bool integers = false;
  /// If true, the unit has vdpbf16ps (AVX512_BF16) or, in tiles, tdpbf16ps (AMX-BF16).
  bool bf16 = false;
  /// If true, kernels widen bf16 to f32 although the unit has vdpbf16ps.
  bool widens_bf16 = false;
  /// If true, kernels for AVX-512 convert data in registers where they have code for it: they make
  /// strips (docs/concepts.md) of the input of depthwise convolutions or widen it before they
  /// multiply it, and convert sums to the type of the output. Emitted C converts whole tensors
  /// before and after its loops instead.
  bool fused_conversions = true;

  bool operator==(const DotProducts&) const = default;
};

}  // namespace tileplan
