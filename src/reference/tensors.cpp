// SPDX-License-Identifier: Apache-2.0
// Copies tensors by tables of offsets, so that blocks cost nothing in the loops. The two axes that
// are fastest on either side are copied in squares.
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

/// Elements on the side of a square. A line of 64 bytes holds 16 f32, so that a transposition uses
/// each line whole while it is in the first cache.
constexpr std::size_t kSquare = 16;

/// Returns the offset of the second element of an axis; an axis of one element comes last.
std::int64_t step(const std::vector<std::int64_t>& offsets) {
  return offsets.size() > 1 ? offsets[1] : std::numeric_limits<std::int64_t>::max();
}

/// Moves the fastest axis of the target to the end, and the fastest other one of the source in
/// front of it. Requires: two axes or more.
void put_fastest_last(std::vector<AxisOffsets>& axes) {
  const auto last = std::prev(axes.end()), next = std::prev(last);
  std::iter_swap(last, std::min_element(axes.begin(), axes.end(),
                                        [](const AxisOffsets& a, const AxisOffsets& b) {
                                          return step(a.to) < step(b.to);
                                        }));
  std::iter_swap(
      next, std::min_element(axes.begin(), last, [](const AxisOffsets& a, const AxisOffsets& b) {
        return step(a.from) < step(b.from);
      }));
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

  /// Copies all elements of the last two axes.
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

template <class Number>
void place(const TensorAccess& tensor, const TensorLayout& from, std::span<const Number> source,
           const TensorLayout& to, std::span<Number> target) {
  std::fill(target.begin(), target.end(), Number{0});
  Copy<Number> copy{.axes = {}, .source = source.data(), .target = target.data()};
  for (std::size_t a = 0; a < tensor.data.size(); ++a) {
    AxisOffsets& offsets = copy.axes.emplace_back();
    for (std::int64_t i = 1; i < tensor.data[a].extent; ++i) {
      offsets.from.push_back(from.axes[a].offset(i));
      offsets.to.push_back(to.axes[a].offset(i));
    }
  }
  while (copy.axes.size() < 2) copy.axes.emplace_back();
  put_fastest_last(copy.axes);
  copy.run(0, 0, 0);
}

}  // namespace

void relayout(const TensorAccess& tensor, const TensorLayout& from, std::span<const float> source,
              const TensorLayout& to, std::span<float> target) {
  place(tensor, from, source, to, target);
}

void relayout(const TensorAccess& tensor, const TensorLayout& from, std::span<const double> source,
              const TensorLayout& to, std::span<double> target) {
  place(tensor, from, source, to, target);
}

void relayout(const TensorAccess& tensor, const TensorLayout& from, const Buffer& source,
              const TensorLayout& to, Buffer& target) {
  with_element(source.type(), [&](auto zero) {
    using Number = decltype(zero);
    place(tensor, from, source.span<Number>(), to, target.span<Number>());
  });
}

}  // namespace tileplan
