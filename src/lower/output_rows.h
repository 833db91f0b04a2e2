// SPDX-License-Identifier: Apache-2.0
// This file divides an output into rows, over which finished sums are corrected and converted.
#pragma once

#include <algorithm>

#include "computation.h"

namespace tileplan {

/// Divides an output into rows of contiguous elements. A row belongs to one channel, or to
/// consecutive channels of one pixel. In a matrix, columns count as channels and rows as pixels.
struct OutputRows {
  /// There are `rows` rows. The starts of neighbouring rows are `length` elements apart, except
  /// where the next row belongs to a matrix that lies apart.
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

/// Returns the rows of the output of `elements` in `layout`. Throws Error as layout_of() does, or
/// when `layout` is plain and `elements` is no matrix product.
OutputRows output_rows(const Computation& elements, Layout layout);

/// Visits rows one after another. Keeps a reference to `rows`. Only the constructor divides,
/// because divisions would take longer than short rows.
class RowWalk {
 public:
  RowWalk(const OutputRows& rows, std::int64_t row)
      : rows_(rows),
        repeat_(row % rows.repeats),
        place_(row / rows.repeats % rows.places),
        turn_(row / rows.repeats / rows.places),
        matrix_row_(rows.matrix_rows == 0 ? 0 : row % rows.matrix_rows),
        start_(rows.matrix_rows == 0
                   ? row * rows.length
                   : row / rows.matrix_rows * rows.matrix + matrix_row_ * rows.length) {}

  void advance() {
    start_ += rows_.length;
    if (rows_.matrix_rows != 0 && ++matrix_row_ == rows_.matrix_rows) {
      start_ += rows_.matrix - rows_.matrix_rows * rows_.length;
      matrix_row_ = 0;
    }
    if (++repeat_ < rows_.repeats) return;
    repeat_ = 0;
    if (++place_ < rows_.places) return;
    place_ = 0;
    ++turn_;
  }

  void advance(std::int64_t rows) {
    for (std::int64_t i = 0; i < rows; ++i) advance();
  }

  /// Returns how many rows from this one on follow each other in memory and have the same channels.
  /// Returns 1 if the matrices of a batch lie apart.
  std::int64_t rows_of_these_channels() const {
    if (rows_.matrix_rows != 0) return 1;
    return rows_.places == 1 ? rows_.rows - pixel() : rows_.repeats - repeat_;
  }

  /// Returns the offset of the first element of the row.
  std::int64_t start() const { return start_; }
  std::int64_t first_channel() const { return place_ * (rows_.one_channel ? 1 : rows_.length); }
  /// Returns how many elements of the row belong to channels.
  std::int64_t real_length() const {
    if (rows_.one_channel) return rows_.length;
    return std::clamp<std::int64_t>(rows_.channels - first_channel(), 0, rows_.length);
  }
  /// Returns the number of the row's pixel among those of all images, or that of the image if the
  /// row is a plane.
  std::int64_t pixel() const { return turn_ * rows_.repeats + repeat_; }

 private:
  const OutputRows& rows_;
  std::int64_t repeat_, place_, turn_, matrix_row_, start_;
};

}  // namespace tileplan
