// SPDX-License-Identifier: Apache-2.0
// This file converts finished sums to the type of the output, which has the same layout.
#pragma once

#include "loop_tree.h"
#include "output_rows.h"

namespace tileplan {

struct OutputConversion {
  ElementType sums = ElementType::s32, output = ElementType::u8;
  OutputRows rows = {};
  /// The conversion applies only the residual and the limits of this epilogue, because the bias is
  /// already in the sums.
  Epilogue epilogue = {};

  /// Returns true when sums and output have one type, so that the elements are changed in place.
  bool in_place() const { return sums == output; }
};

/// Holds the tensors of a conversion, which have equal layouts. `residual` is null when there is
/// none.
struct ConvertedTensors {
  char* sums = nullptr;
  const char* residual = nullptr;  ///< The residual has the type of the output.
  char* output = nullptr;
  const float* scales = nullptr;
  bool has_channel_scales = false;  ///< If false, all channels have the first scale.
  float residual_scale = 1;
  std::int32_t residual_zero_point = 0, zero_point = 0;
};

/// Returns true if loops over whole tensors may use the vectors of AVX-512. All CPUs that run
/// assembled kernels have AVX2.
bool has_avx512();

/// Returns the numbers with which the loops convert sums. `bias` is the address of the bias, from
/// which the scales are addressed.
StoreConversion store_conversion(const OutputConversion& conversion,
                                 const ConvertedTensors& tensors, const char* bias);

/// Converts the rows in `range`. A sum of f32 or s32 is converted to f32 and multiplied by its
/// scale. The scaled residual, if any, is added, and the result is clamped and rounded to nearest
/// even. If the output is an integer, its zero point is added, and the result saturates. Zeros are
/// written after the last channel if rows.clears_rest is set. Outputs of s32 are only added to the
/// residual, if any, modulo 2^32, and clamped.
void convert_outputs(const OutputConversion& conversion, const ConvertedTensors& tensors,
                     TaskRange range);

}  // namespace tileplan
