// SPDX-License-Identifier: Apache-2.0
// Rows of numbers become columns: activations between layouts, and pixels that packing makes
// neighbours.
#pragma once

#include "loop_tree.h"

namespace tileplan {

/// Rows of numbers in memory, `pitch` numbers from one to the next.
template <class Number>
struct Rows {
  Number* first = nullptr;
  std::int64_t pitch = 0;
};

/// Size of what is transposed, as it is read.
struct Patch {
  std::int64_t rows = 0, columns = 0;
};

/// to[c][r] = from[r][c]. Number: float or double. `from` and `to` do not overlap.
template <class Number>
void transpose_patch(Patch patch, Rows<const Number> from, Rows<Number> to);

/// to[c][p] = from[p][c] for each of `images`: rows x columns -> columns x rows.
struct Transposition {
  std::int64_t images = 1, rows = 1, columns = 1;
};

/// Transposes `columns` of every image. Number: float or double.
template <class Number>
void transpose(const Transposition& shape, const Number* from, Number* to, TaskRange columns);

}  // namespace tileplan
