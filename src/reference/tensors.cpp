// SPDX-License-Identifier: Apache-2.0
// This file copies tensors by loops over tables of offsets. The two innermost loops are tiled in
// squares.
#include "tensors.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <vector>

namespace tileplan {
namespace {

struct AxisOffsets {
  std::vector<std::int64_t> from = {0}, to = {0};
};

/// A cache line holds 16 f32, so a transposition of f32 in squares of 16 x 16 elements uses whole
/// cache lines.
constexpr std::size_t kSquare = 16;

/// Returns the offset of the second element of an axis, or the largest number if the axis has one
/// element.
std::int64_t step(const std::vector<std::int64_t>& offsets) {
  return offsets.size() > 1 ? offsets[1] : std::numeric_limits<std::int64_t>::max();
}

/// Moves the axis with the smallest stride in the target to the end, and before it the remaining
/// axis with the smallest stride in the source.
void put_fastest_last(std::vector<AxisOffsets>& axes) {
  const auto last = std::prev(axes.end()), next = std::prev(last);
  const auto step_to = [](const AxisOffsets& axis) { return step(axis.to); };
  const auto step_from = [](const AxisOffsets& axis) { return step(axis.from); };
  std::iter_swap(last, std::ranges::min_element(axes, {}, step_to));
  std::iter_swap(next, std::ranges::min_element(axes.begin(), last, {}, step_from));
}

template <class Number>
struct Copy {
  std::vector<AxisOffsets> axes;
  const Number* source = nullptr;
  Number* target = nullptr;

  void run(std::size_t axis, std::int64_t from, std::int64_t to) const {
    if (axis + 2 == axes.size()) return copy_plane(source + from, target + to);
    const AxisOffsets& offsets = axes[axis];
    for (std::size_t i = 0; i < offsets.from.size(); ++i)
      run(axis + 1, from + offsets.from[i], to + offsets.to[i]);
  }

  void copy_plane(const Number* from, Number* to) const {
    const std::size_t rows = axes.end()[-2].from.size(), columns = axes.back().from.size();
    for (std::size_t row = 0; row < rows; row += kSquare)
      for (std::size_t column = 0; column < columns; column += kSquare)
        copy_square({row, std::min(row + kSquare, rows)},
                    {column, std::min(column + kSquare, columns)}, from, to);
  }

  struct Range {
    std::size_t begin = 0, end = 0;
  };
  void copy_square(Range rows, Range columns, const Number* from, Number* to) const {
    const AxisOffsets &row = axes.end()[-2], &column = axes.back();
    for (std::size_t r = rows.begin; r < rows.end; ++r)
      for (std::size_t c = columns.begin; c < columns.end; ++c)
        to[row.to[r] + column.to[c]] = from[row.from[r] + column.from[c]];
  }
};

/// Returns the offsets of each axis in both layouts, with the fastest axes last. A tensor with
/// fewer than two axes gets axes of one element.
std::vector<AxisOffsets> axes_of(const TensorAccess& tensor, const TensorLayout& from,
                                 const TensorLayout& to) {
  std::vector<AxisOffsets> axes(std::max<std::size_t>(tensor.data.size(), 2));
  for (std::size_t a = 0; a < tensor.data.size(); ++a)
    for (std::int64_t i = 1; i < tensor.data[a].extent; ++i) {
      axes[a].from.push_back(from.axes[a].offset(i));
      axes[a].to.push_back(to.axes[a].offset(i));
    }
  put_fastest_last(axes);
  return axes;
}

}  // namespace

Buffer relayout(const TensorAccess& tensor, const TensorLayout& from, const Buffer& source,
                const TensorLayout& to) {
  Buffer target(static_cast<std::size_t>(to.elements), source.type());
  with_element(source.type(), [&](auto zero) {
    using Number = decltype(zero);
    Copy<Number>{axes_of(tensor, from, to), source.data<Number>(), target.data<Number>()}.run(0, 0,
                                                                                              0);
  });
  return target;
}

}  // namespace tileplan
