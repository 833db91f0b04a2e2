// SPDX-License-Identifier: Apache-2.0
// This file divides an output into rows, over which finished sums are corrected and converted.
#pragma once

#include "computation.h"

namespace tileplan {

/// Divides an output into rows of contiguous elements. A row belongs to one channel, or to
/// consecutive channels of one pixel.
struct OutputRows {
  /// There are `rows` rows, and the starts of neighbouring rows are `length` elements apart.
  std::int64_t rows = 0, length = 0;
  std::int64_t channels = 0;  ///< Counts the channels of the tensor.
  /// Row r begins with channel number r / repeats % places * (channels per row).
  std::int64_t repeats = 1, places = 1;
  bool one_channel = false;
  /// If the matrices of a batch lie apart, each group of `matrix_rows` rows begins `matrix`
  /// elements after the previous group. Without such matrices, `matrix_rows` is 0.
  std::int64_t matrix_rows = 0, matrix = 0;
  bool clears_rest = false;  ///< Tells whether zeros are written after the last channel.
};

/// Returns the rows of the output of `elements` in `layout`.
OutputRows output_rows(const Computation& elements, Layout layout);

/// Returns the channel of the first element of row `row`.
std::int64_t first_channel(const OutputRows& rows, std::int64_t row);

/// Returns the offset of the first element of row `row`.
std::int64_t start_of(const OutputRows& rows, std::int64_t row);

/// Returns how many elements of row `row` belong to channels.
std::int64_t real_length(const OutputRows& rows, std::int64_t row);

}  // namespace tileplan
