// SPDX-License-Identifier: Apache-2.0
// Converts finished sums to the type of the output, which has the same layout.
#pragma once

#include "loop_tree.h"

namespace tileplan {

/// Divides an output into rows of neighbouring elements. A row has either one channel, or channels
/// that follow each other.
struct OutputRows {
  std::int64_t rows = 0, length = 0;  ///< `length` elements lie between the starts of two rows.
  std::int64_t channels = 0;          ///< The tensor has this many channels.
  /// Row r begins with channel r / repeats % places times the channels of a row.
  std::int64_t repeats = 1, places = 1;
  bool one_channel = false;
  /// Rows are `length` elements apart, but each `matrix_rows` rows begin `matrix` elements after
  /// the previous ones. Without such matrices, `matrix_rows` is 0.
  std::int64_t matrix_rows = 0, matrix = 0;
  bool clears_rest = false;  ///< Zeros are written after the last channel.
};

/// Returns the rows of the output of `elements` in `layout`.
OutputRows output_rows(const Computation& elements, Layout layout);

/// Returns the channel of the first element of row `row`.
std::int64_t first_channel(const OutputRows& rows, std::int64_t row);

/// Returns the first element of row `row`.
std::int64_t start_of(const OutputRows& rows, std::int64_t row);

/// Returns how many elements of row `row` belong to channels.
std::int64_t real_length(const OutputRows& rows, std::int64_t row);

struct OutputConversion {
  ElementType sums = ElementType::s32, output = ElementType::u8;
  OutputRows rows = {};
  Epilogue epilogue = {};  ///< Only the residual and the limits are applied; sums have their bias.

  /// Returns true when the sums are the output, whose elements are converted in place.
  bool in_place() const { return sums == output; }
};

/// Holds the tensors of a conversion, which have equal layouts. Without a residual it is null.
struct ConvertedTensors {
  char* sums = nullptr;
  const char* residual = nullptr;  ///< It has the type of the output.
  char* output = nullptr;
  const float* scales = nullptr;    ///< Each channel has a scale, or all have the first one.
  bool has_channel_scales = false;  ///< There is a scale for each channel.
  float residual_scale = 1;
  std::int32_t residual_zero_point = 0, zero_point = 0;
};

/// Returns the numbers for a conversion in the loops, whose bias is at `bias`.
StoreConversion store_conversion(const OutputConversion& conversion,
                                 const ConvertedTensors& tensors, const char* bias);

/// Converts the rows in `range`: to f32, times the scale, plus the residual, clamped, and rounded
/// to nearest even, plus the zero point. Integers saturate, and sums are f32 or s32. Outputs of s32
/// are only added to the residual, modulo 2^32, and clamped.
void convert_outputs(const OutputConversion& conversion, const ConvertedTensors& tensors,
                     TaskRange range);

}  // namespace tileplan
