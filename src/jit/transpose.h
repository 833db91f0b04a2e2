// SPDX-License-Identifier: Apache-2.0
// Transposes activations between layouts, and packed inputs so that their pixels are neighbours.
#pragma once

#include "loop_tree.h"

namespace tileplan {

/// Describes rows of numbers in memory that are `pitch` numbers apart.
template <class Number>
struct Rows {
  Number* first = nullptr;
  std::int64_t pitch = 0;
};

/// Gives the size of the source.
struct Patch {
  std::int64_t rows = 0, columns = 0;
};

/// Sets to[c][r] = from[r][c]. Number is float or double. Requires: no overlap.
template <class Number>
void transpose_patch(Patch patch, Rows<const Number> from, Rows<Number> to);

/// Describes `images` that have rows x columns before and columns x rows after.
struct Transposition {
  std::int64_t images = 1, rows = 1, columns = 1;
};

/// Transposes `columns` of every image. Number is float or double.
template <class Number>
void transpose(const Transposition& shape, const Number* from, Number* to, TaskRange columns);

}  // namespace tileplan
