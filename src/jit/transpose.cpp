// SPDX-License-Identifier: Apache-2.0
// This file transposes squares of 16 bytes per side in registers, because every supported CPU has
// vectors of 16 bytes. Elements outside these squares are copied one by one.
#include "transpose.h"

#include <algorithm>
#include <cstring>

namespace tileplan {
namespace {

constexpr std::int64_t kVectorBytes = 16;

template <class Number>
constexpr std::int64_t kSquareSide = kVectorBytes / static_cast<std::int64_t>(sizeof(Number));

using Floats = float __attribute__((vector_size(kVectorBytes)));
using Doubles = double __attribute__((vector_size(kVectorBytes)));

template <class Vector, class Number>
Vector load(const Number* from) {
  Vector vector;
  std::memcpy(&vector, from, sizeof vector);
  return vector;
}

template <class Vector, class Number>
void store(Number* to, const Vector& vector) {
  std::memcpy(to, &vector, sizeof vector);
}

void transpose_square(Rows<const float> from, Rows<float> to) {
  const auto row0 = load<Floats>(from.first), row1 = load<Floats>(from.first + from.pitch);
  const auto row2 = load<Floats>(from.first + 2 * from.pitch);
  const auto row3 = load<Floats>(from.first + 3 * from.pitch);
  const Floats left01 = __builtin_shufflevector(row0, row1, 0, 4, 1, 5);
  const Floats left23 = __builtin_shufflevector(row2, row3, 0, 4, 1, 5);
  const Floats right01 = __builtin_shufflevector(row0, row1, 2, 6, 3, 7);
  const Floats right23 = __builtin_shufflevector(row2, row3, 2, 6, 3, 7);
  store<Floats>(to.first, __builtin_shufflevector(left01, left23, 0, 1, 4, 5));
  store<Floats>(to.first + to.pitch, __builtin_shufflevector(left01, left23, 2, 3, 6, 7));
  store<Floats>(to.first + 2 * to.pitch, __builtin_shufflevector(right01, right23, 0, 1, 4, 5));
  store<Floats>(to.first + 3 * to.pitch, __builtin_shufflevector(right01, right23, 2, 3, 6, 7));
}

void transpose_square(Rows<const double> from, Rows<double> to) {
  const auto row0 = load<Doubles>(from.first), row1 = load<Doubles>(from.first + from.pitch);
  store<Doubles>(to.first, __builtin_shufflevector(row0, row1, 0, 2));
  store<Doubles>(to.first + to.pitch, __builtin_shufflevector(row0, row1, 1, 3));
}

template <class Number>
void transpose_block(Patch patch, Rows<const Number> from, Rows<Number> to) {
  constexpr std::int64_t kSide = kSquareSide<Number>;
  const std::int64_t square_rows = patch.rows / kSide * kSide;
  const std::int64_t square_columns = patch.columns / kSide * kSide;
  for (std::int64_t c = 0; c < square_columns; c += kSide)
    for (std::int64_t r = 0; r < square_rows; r += kSide)
      transpose_square(Rows<const Number>{from.first + r * from.pitch + c, from.pitch},
                       Rows<Number>{to.first + c * to.pitch + r, to.pitch});
  // The loop over columns is inside and thus long for images of three channels, whose matrices have
  // one row per channel.
  for (std::int64_t r = 0; r < patch.rows; ++r)
    for (std::int64_t c = r < square_rows ? square_columns : 0; c < patch.columns; ++c)
      to.first[c * to.pitch + r] = from.first[r * from.pitch + c];
}

}  // namespace

template <class Number>
void transpose_patch(Patch patch, Rows<const Number> from, Rows<Number> to) {
  constexpr std::int64_t kBlock = 32;  // Rows of a block fill whole cache lines in both matrices.
  for (std::int64_t r = 0; r < patch.rows; r += kBlock)
    for (std::int64_t c = 0; c < patch.columns; c += kBlock)
      transpose_block(Patch{.rows = std::min(kBlock, patch.rows - r),
                            .columns = std::min(kBlock, patch.columns - c)},
                      Rows<const Number>{from.first + r * from.pitch + c, from.pitch},
                      Rows<Number>{to.first + c * to.pitch + r, to.pitch});
}

template void transpose_patch(Patch, Rows<const float>, Rows<float>);
template void transpose_patch(Patch, Rows<const double>, Rows<double>);

template <class Number>
void transpose(const Transposition& shape, const Number* from, Number* to, TaskRange columns) {
  const Patch patch{.rows = shape.rows, .columns = columns.last - columns.first};
  for (std::int64_t image = 0; image < shape.images; ++image) {
    transpose_patch(patch, Rows<const Number>{from + columns.first, shape.columns},
                    Rows<Number>{to + columns.first * shape.rows, shape.rows});
    from += shape.rows * shape.columns;
    to += shape.rows * shape.columns;
  }
}

template void transpose(const Transposition&, const float*, float*, TaskRange);
template void transpose(const Transposition&, const double*, double*, TaskRange);

}  // namespace tileplan
