// SPDX-License-Identifier: Apache-2.0
// This test compares transposed patches with the input, element by element.
#include "transpose.h"

#include <doctest/doctest.h>

#include <numeric>
#include <vector>

using namespace tileplan;

namespace {

template <class Number>
std::vector<Number> counted(std::int64_t size) {
  std::vector<Number> numbers(static_cast<std::size_t>(size));
  std::iota(numbers.begin(), numbers.end(), Number{1});
  return numbers;
}

/// Transposes one rectangle of a matrix, and checks its elements and that nothing outside is
/// written.
template <class Number>
void check_patch(const Patch& patch) {
  CAPTURE(patch.rows);
  CAPTURE(patch.columns);
  const std::int64_t from_pitch = patch.columns + 3, to_pitch = patch.rows + 1;
  const std::vector<Number> from = counted<Number>(patch.rows * from_pitch);
  std::vector<Number> to(static_cast<std::size_t>(patch.columns * to_pitch), -1);
  transpose_patch(patch, Rows<const Number>{from.data(), from_pitch},
                  Rows<Number>{to.data(), to_pitch});
  std::vector<Number> expected(to.size(), -1);
  for (std::int64_t r = 0; r < patch.rows; ++r)
    for (std::int64_t c = 0; c < patch.columns; ++c)
      expected[static_cast<std::size_t>(c * to_pitch + r)] =
          from[static_cast<std::size_t>(r * from_pitch + c)];
  CHECK(to == expected);
}

}  // namespace

TEST_CASE_TEMPLATE("a patch of any size is transposed", Number, float, double) {
  for (std::int64_t rows = 0; rows <= 9; ++rows)
    for (std::int64_t columns = 0; columns <= 9; ++columns)
      check_patch<Number>({.rows = rows, .columns = columns});
}

TEST_CASE_TEMPLATE("the shares of a transposition make up the whole", Number, float, double) {
  const Transposition shape{.images = 2, .rows = 37, .columns = 70};
  const std::int64_t image = shape.rows * shape.columns;
  const std::vector<Number> from = counted<Number>(shape.images * image);
  std::vector<Number> to(from.size());
  transpose(shape, from.data(), to.data(), TaskRange{.first = 0, .last = 33});
  transpose(shape, from.data(), to.data(), TaskRange{.first = 33, .last = 70});
  std::vector<Number> expected(from.size());
  for (std::int64_t i = 0; i < shape.images; ++i)
    for (std::int64_t r = 0; r < shape.rows; ++r)
      for (std::int64_t c = 0; c < shape.columns; ++c)
        expected[static_cast<std::size_t>(i * image + c * shape.rows + r)] =
            from[static_cast<std::size_t>(i * image + r * shape.columns + c)];
  CHECK(to == expected);
}
