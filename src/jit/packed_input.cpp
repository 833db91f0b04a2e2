// SPDX-License-Identifier: Apache-2.0
// This file copies a box with nested loops over tables of offsets. Evenly spaced elements are
// copied or transposed in rows. If elements are not evenly spaced, the innermost axis is copied in
// parts of kSquare elements, so that each cache line of both tensors is used completely while it is
// cached.
#include "packed_input.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>

#include "element.h"
#include "integers.h"
#include "transpose.h"

namespace tileplan {
namespace {

struct Range {
  std::size_t first = 0, last = 0;
};

/// Returns the range of positions in `axis.index` whose indices lie inside the tensor.
Range inside(const BoxCopy::Axis& axis, const GuardIndices& first) {
  if (axis.guard < 0) return {0, axis.index.size()};
  const std::int64_t start = first[static_cast<std::size_t>(axis.guard)];
  const auto at = [&](std::int64_t value) {
    return static_cast<std::size_t>(std::ranges::lower_bound(axis.index, value - start) -
                                    axis.index.begin());
  };
  return {at(0), at(axis.extent)};
}

constexpr std::int64_t kPieceBytes = 16;  // All supported CPUs have vectors of 16 bytes.

template <class Number>
constexpr std::int64_t kPiece = kPieceBytes / static_cast<std::int64_t>(sizeof(Number));

/// Copies a row in pieces that may overlap, because a call of memcpy costs more than a short row.
template <class Number>
void copy_row(const Number* from, std::int64_t length, Number* to) {
  if (length < kPiece<Number>) {
    for (std::int64_t i = 0; i < length; ++i) to[i] = from[i];
    return;
  }
  constexpr std::int64_t kPieces = 4;
  std::int64_t i = 0;
  for (; i + kPieces * kPiece<Number> <= length; i += kPieces * kPiece<Number>)
    std::memcpy(to + i, from + i, kPieces * kPieceBytes);
  for (; i + kPiece<Number> <= length; i += kPiece<Number>)
    std::memcpy(to + i, from + i, kPieceBytes);
  const std::int64_t last = length - kPiece<Number>;
  std::memcpy(to + last, from + last, kPieceBytes);
}

/// Rows of at least kLongRow contiguous elements are prefetched this many rows before they are
/// copied. The CPU starts the loads of shorter rows early enough. Both values were measured
/// (docs/experiments.md).
constexpr std::size_t kRowsEarly = 8;
template <class Number>
constexpr std::int64_t kLongRow = 320 / static_cast<std::int64_t>(sizeof(Number));

template <class Number>
void prefetch_row(const Number* from, std::int64_t length) {
  constexpr std::int64_t kStep = 64 / static_cast<std::int64_t>(sizeof(Number));
  for (std::int64_t i = 0; i < length; i += kStep) __builtin_prefetch(from + i);
}

template <class Number>
void zero_row(Number* to, std::int64_t length) {
  if (length < kPiece<Number>) {
    for (std::int64_t i = 0; i < length; ++i) to[i] = 0;
    return;
  }
  for (std::int64_t i = 0; i + kPiece<Number> <= length; i += kPiece<Number>)
    std::memset(to + i, 0, kPieceBytes);
  std::memset(to + length - kPiece<Number>, 0, kPieceBytes);
}

template <class Number>
class Copy {
 public:
  Copy(const BoxCopy& copy, const GuardIndices& first) : copy_(copy) {
    for (const BoxCopy::Axis& axis : copy.axes) ranges_.push_back(inside(axis, first));
  }

  /// Copies the part of the box that the loops over axis `axis` and all later axes cover.
  void run(std::size_t axis, const Number* from, Number* to) const {
    if (axis + 2 == copy_.axes.size()) return copy_plane(axis, from, to);
    for (std::size_t i = ranges_[axis].first; i < ranges_[axis].last; ++i)
      run(axis + 1, from + copy_.axes[axis].from[i], to + copy_.axes[axis].to[i]);
  }

 private:
  void copy_plane(std::size_t axis, const Number* from, Number* to) const {
    if (copy_.phases.count > 0) return copy_phases(axis, from, to);
    const Range rows = ranges_[axis], columns = ranges_[axis + 1];
    for (std::size_t c = columns.first; c < columns.last; c += BoxCopy::kSquare) {
      const Range part{c, std::min(c + BoxCopy::kSquare, columns.last)};
      for (std::size_t r = rows.first; r < rows.last; ++r)
        copy_part(from + copy_.axes[axis].from[r], to + copy_.axes[axis].to[r], part);
    }
    if (!copy_.axes.back().zeroed) return;
    for (std::size_t r = rows.first; r < rows.last; ++r) zero_borders(to + copy_.axes[axis].to[r]);
  }

  /// Copies the two innermost axes when the innermost axis is divided into phases.
  void copy_phases(std::size_t axis, const Number* from, Number* to) const {
    const BoxCopy::Axis& innermost = copy_.axes.back();
    for (std::size_t p = 0; p < static_cast<std::size_t>(copy_.phases.count); ++p) {
      const auto before = [&](std::size_t value) {
        const std::int64_t after = static_cast<std::int64_t>(value) - static_cast<std::int64_t>(p);
        return std::max<std::int64_t>(ceil_div(after, copy_.phases.count), 0);
      };
      const Phase phase{.from = innermost.from[p],
                        .to = innermost.to[p],
                        .first = before(ranges_.back().first),
                        .last = before(ranges_.back().last),
                        .count = before(innermost.index.size())};
      copy_.in_patches ? transpose_rows(axis, phase, from, to) : copy_rows(axis, phase, from, to);
    }
  }

  /// Describes the elements of one phase (BoxCopy::Phases). Elements [first, last) lie inside the
  /// tensor.
  struct Phase {
    std::int64_t from = 0, to = 0;  // The first element has these offsets, in elements.
    std::int64_t first = 0, last = 0, count = 0;
  };

  /// Copies rows whose elements are evenly spaced in the tensor that is read.
  void copy_rows(std::size_t axis, const Phase& phase, const Number* from, Number* to) const {
    const std::int64_t step = copy_.phases.from, length = phase.last - phase.first;
    const bool is_long = step == 1 && length >= kLongRow<Number>;
    for (std::size_t r = ranges_[axis].first; r < ranges_[axis].last; ++r) {
      const Number* read = from + copy_.axes[axis].from[r] + phase.from + phase.first * step;
      Number* const row = to + copy_.axes[axis].to[r] + phase.to;
      Number* const written = row + phase.first;
      if (is_long && r + kRowsEarly < ranges_[axis].last)
        prefetch_row(read + (copy_.axes[axis].from[r + kRowsEarly] - copy_.axes[axis].from[r]),
                     length);
      if (step == 1)
        copy_row(read, length, written);
      else if (step == 2)  // A constant step lets compilers vectorise the loop.
        for (std::int64_t i = 0; i < length; ++i) written[i] = read[i * 2];
      else
        for (std::int64_t i = 0; i < length; ++i) written[i] = read[i * step];
      if (copy_.axes.back().zeroed) zero_borders(phase, row);
    }
  }

  /// Transposes rows that begin one element apart in the tensor that is read (in_patches).
  void transpose_rows(std::size_t axis, const Phase& phase, const Number* from, Number* to) const {
    const BoxCopy::Axis& channels = copy_.axes[axis];
    const auto first = static_cast<std::int64_t>(ranges_[axis].first);
    const auto last = static_cast<std::int64_t>(ranges_[axis].last);
    const std::int64_t step = copy_.phases.from;
    const std::int64_t pitch = channels.to.size() > 1 ? channels.to[1] : 0;
    transpose_patch(Patch{.rows = phase.last - phase.first, .columns = last - first},
                    Rows<const Number>{from + phase.from + phase.first * step + first, step},
                    Rows<Number>{to + phase.to + first * pitch + phase.first, pitch});
    for (std::int64_t c = first; copy_.axes.back().zeroed && c < last; ++c)
      zero_borders(phase, to + phase.to + c * pitch);
  }

  void zero_borders(const Phase& phase, Number* to) const {
    zero_row(to, phase.first);
    zero_row(to + phase.last, phase.count - phase.last);
  }

  /// Writes zeros in one row of the box at the positions that lie outside the tensor.
  void zero_borders(Number* to) const {
    const BoxCopy::Axis& axis = copy_.axes.back();
    for (std::size_t i = 0; i < ranges_.back().first; ++i) to[axis.to[i]] = 0;
    for (std::size_t i = ranges_.back().last; i < axis.to.size(); ++i) to[axis.to[i]] = 0;
  }

  void copy_part(const Number* from, Number* to, const Range& part) const {
    const BoxCopy::Axis& axis = copy_.axes.back();
    if (copy_.in_lines)
      std::copy_n(from + axis.from[part.first], part.last - part.first, to + axis.to[part.first]);
    else
      for (std::size_t i = part.first; i < part.last; ++i) to[axis.to[i]] = from[axis.from[i]];
  }

  const BoxCopy& copy_;
  std::vector<Range> ranges_;
};

/// Returns true when each group of kSquare indices is contiguous in both tensors.
bool lies_in_lines(const BoxCopy::Axis& axis) {
  for (std::size_t i = 1; i < axis.index.size(); ++i)
    if (i % BoxCopy::kSquare != 0 &&
        (axis.from[i] != axis.from[i - 1] + 1 || axis.to[i] != axis.to[i - 1] + 1))
      return false;
  return true;
}

/// Returns offsets[i + apart] - offsets[i], or nothing when this difference depends on i. Returns 1
/// if there are too few offsets for a difference.
std::optional<std::int64_t> distance(const std::vector<std::int64_t>& offsets, std::size_t apart) {
  for (std::size_t i = apart + 1; i < offsets.size(); ++i)
    if (offsets[i] - offsets[i - apart] != offsets[apart] - offsets[0]) return std::nullopt;
  return offsets.size() > apart ? offsets[apart] - offsets[0] : 1;
}

BoxCopy::Phases phases_of(const BoxCopy::Axis& axis) {
  constexpr std::size_t kMostPhases = 8;
  const std::size_t limit = std::max<std::size_t>(2, std::min(kMostPhases, axis.to.size()));
  for (std::size_t apart = 1; apart < limit; ++apart) {
    const auto from = distance(axis.from, apart);
    if (from && distance(axis.to, apart) == 1)
      return {.count = static_cast<std::int64_t>(apart), .from = *from};
  }
  return {};
}

/// Returns the values that the index of `data` takes in `box`, ascending from 0.
std::vector<std::int64_t> values_of(const DataDim& data, const Tile& box) {
  std::vector<std::int64_t> values{0};
  for (const Term& term : data.terms) {
    std::set<std::int64_t> next;
    for (const std::int64_t value : values)
      for (std::int64_t i = 0; i < box[term.dim]; ++i) next.insert(value + term.coefficient * i);
    values.assign(next.begin(), next.end());
  }
  return values;
}

/// Adds the offsets of the indices of `axis` in the tensor and in the box.
void add_offsets(BoxCopy::Axis& axis, const AxisLayout& tensor, const AxisLayout& box) {
  for (const std::int64_t value : axis.index) {
    axis.from.push_back(tensor.offset(value));
    axis.to.push_back(box.offset(value));
  }
}

}  // namespace

BoxCopy plan_box_copy(const Computation& computation, const TensorLayout& input,
                      const TensorLayout& packed, const Tile& box, Dim vectorised) {
  const TensorAccess& tensor = computation.tensor(Operand::input);
  int guarded = 0;
  std::vector<int> guards;
  for (const DataDim& data : tensor.data)
    guards.push_back(is_guarded(computation, data, vectorised) ? guarded++ : -1);
  BoxCopy copy;
  copy.bytes = tensor.element_bytes();
  for (const BoxAxis& place : box_axes(tensor, packed, box)) {
    const DataDim& data = tensor.data[place.data];
    BoxCopy::Axis axis{.index = values_of(data, box),
                       .guard = guards[place.data],
                       .extent = data.extent,
                       .zeroed = is_present(data, vectorised)};
    add_offsets(axis, input.axes[place.data], packed.axes[place.data]);
    copy.axes.push_back(std::move(axis));
  }
  choose_loops(copy);
  return copy;
}

BoxCopy plan_output_copy(const Computation& computation, const TensorLayout& output,
                         const TensorLayout& packed, const Tile& box, Dim vectorised) {
  const TensorAccess& tensor = computation.tensor(Operand::output);
  BoxCopy copy{.bytes = tensor.element_bytes(), .axes = {}, .phases = {}};
  for (const BoxAxis& place : box_axes(tensor, packed, box)) {
    const DataDim& data = tensor.data[place.data];
    // The last vector of the box may reach beyond the tensor, so the copy compares the index along
    // the vectorised dimension with the extent.
    BoxCopy::Axis axis{.index = values_of(data, box),
                       .guard = is_present(data, vectorised) ? 0 : -1,
                       .extent = data.extent};
    add_offsets(axis, output.axes[place.data], packed.axes[place.data]);
    copy.axes.push_back(std::move(axis));
  }
  choose_loops(copy);
  return copy;
}

BoxCopy reversed(BoxCopy copy) {
  for (BoxCopy::Axis& axis : copy.axes) std::swap(axis.from, axis.to);
  choose_loops(copy);
  return copy;
}

void choose_loops(BoxCopy& copy) {
  const BoxCopy::Axis once{.index = {0}, .from = {0}, .to = {0}};
  while (copy.axes.size() < 2) copy.axes.insert(copy.axes.begin(), once);
  const BoxCopy::Axis& innermost = copy.axes.back();
  const BoxCopy::Axis& rows = copy.axes[copy.axes.size() - 2];
  copy.phases = phases_of(innermost);
  copy.in_patches = copy.phases.from > 1 && distance(rows.from, 1) == 1 && distance(rows.to, 1);
  // For a dimension with padding, the copy may begin inside a group of kSquare elements, which then
  // need not be contiguous.
  copy.in_lines = innermost.guard < 0 && lies_in_lines(innermost);
}

void copy_box(const BoxCopy& copy, const char* from, char* to, const GuardIndices& first) {
  with_size(copy.bytes, [&](auto zero) {
    using Number = decltype(zero);
    Copy<Number>(copy, first)
        .run(0, reinterpret_cast<const Number*>(from), reinterpret_cast<Number*>(to));
  });
}

}  // namespace tileplan
