// SPDX-License-Identifier: Apache-2.0
// This file transposes matrices, such as activations between nhwc and nchw, and elements that are
// copied to packed boxes.
#pragma once

#include "loop_tree.h"

namespace tileplan {

/// Refers to a matrix in memory whose rows begin `pitch` elements apart.
template <class Number>
struct Rows {
  Number* first = nullptr;
  std::int64_t pitch = 0;
};

/// Holds the size of the matrix that is read.
struct Patch {
  std::int64_t rows = 0, columns = 0;
};

/// Sets to[c][r] = from[r][c]. Number is float or double. Requires: the matrices do not overlap.
template <class Number>
void transpose_patch(Patch patch, Rows<const Number> from, Rows<Number> to);

/// Describes the transposition of `images` matrices of size rows x columns.
struct Transposition {
  std::int64_t images = 1, rows = 1, columns = 1;
};

/// Transposes the given range of columns in each image. Number is float or double.
template <class Number>
void transpose(const Transposition& shape, const Number* from, Number* to, TaskRange columns);

}  // namespace tileplan
