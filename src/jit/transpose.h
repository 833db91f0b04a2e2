// SPDX-License-Identifier: Apache-2.0
// Transposes activations between layouts, and packed inputs so that their pixels are contiguous.
#pragma once

#include "loop_tree.h"

namespace tileplan {

/// Refers to a matrix in memory whose rows are `pitch` numbers apart.
template <class Number>
struct Rows {
  Number* first = nullptr;
  std::int64_t pitch = 0;
};

/// Holds the size of the source.
struct Patch {
  std::int64_t rows = 0, columns = 0;
};

/// Sets to[c][r] = from[r][c]. Number is float or double. Requires: no overlap.
template <class Number>
void transpose_patch(Patch patch, Rows<const Number> from, Rows<Number> to);

/// Describes the transposition of `images` matrices from rows x columns to columns x rows.
struct Transposition {
  std::int64_t images = 1, rows = 1, columns = 1;
};

/// Transposes the given `columns` of each image. Number is float or double.
template <class Number>
void transpose(const Transposition& shape, const Number* from, Number* to, TaskRange columns);

}  // namespace tileplan
