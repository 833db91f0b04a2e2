// SPDX-License-Identifier: Apache-2.0
// Divides an output into rows, over which finished sums are corrected and converted.
#pragma once

#include "computation.h"

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

}  // namespace tileplan
