// SPDX-License-Identifier: Apache-2.0
// CPUs differ in the instructions that multiply elements of few bits and add the products.
#pragma once

#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Names how a microkernel multiplies and adds vectors.
enum class Arithmetic {
  fma,          ///< Products of f32 or f64 are added by vfmadd.
  dot_bf16,     ///< vdpbf16ps adds two products of bf16 to each sum.
  dot_bytes,    ///< vpdpbusd adds four products of bytes to each sum.
  dot_s16,      ///< vpdpwssd, or else vpmaddwd with vpaddd, adds two products of s16 to each sum.
  multiply_s32  ///< vpmulld and vpaddd add one product of s32.
};

/// Returns the number of products that a vector of sums takes per lane: 1, 2 or 4.
int products_per_lane(Arithmetic arithmetic);

/// Tells which instructions for dot products a vector unit has.
struct DotProducts {
  bool integers = false;  ///< AVX512_VNNI: vpdpbusd and vpdpwssd
  bool bf16 = false;      ///< AVX512_BF16: vdpbf16ps

  bool operator==(const DotProducts&) const = default;
};

}  // namespace tileplan
