// SPDX-License-Identifier: Apache-2.0
// Lines whose channels are whole strips are copied as memory, and all others element by element.
#include "strip_copy.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <type_traits>

#include "check.h"
#include "element.h"
#include "line_walk.h"
#include "strip_join.h"
#include "strips.h"

namespace tileplan {
namespace {

/// Copies groups whose channels make one incomplete strip of 4 bytes, of which `bytes` are
/// channels.
template <int bytes>
void copy_incomplete(const StripCopy::Axis& line, std::int64_t size, const char* from, char* to) {
  constexpr std::int64_t kStrip = sizeof(std::uint32_t);
  const auto copy = [](const char* source, char* target) {
    std::uint32_t strip = 0;
    std::memcpy(&strip, source, bytes);
    std::memcpy(target, &strip, sizeof strip);
  };
  const std::int64_t count = std::ssize(line.from);
  const bool is_dense = line.from.back() * size == (count - 1) * bytes &&
                        line.to.back() * size == (count - 1) * kStrip;
  if (is_dense) {  // Compilers use vectors here.
    for (std::int64_t i = 0; i < count; ++i) copy(from + i * bytes, to + i * kStrip);
    return;
  }
  for (std::size_t i = 0; i < line.from.size(); ++i)
    copy(from + line.from[i] * size, to + line.to[i] * size);
}

/// Copies a line, or writes zeros when `from` is null.
template <class From, class To>
void copy_line(const StripCopy& copy, const From* from, To* to) {
  const std::int64_t count = std::ssize(copy.from);
  const bool contiguous = copy.from.back() - copy.from.front() == count - 1;
  for (std::size_t i = 0; i < copy.line.from.size(); ++i) {
    To* const target = to + copy.line.to[i];
    if (from == nullptr || copy.line.from[i] == StripCopy::kPadding) {
      std::fill_n(target, copy.length, To{});
      continue;
    }
    const From* const source = from + copy.line.from[i];
    // NOLINTBEGIN(bugprone-signed-char-misuse): s8 becomes s16 with its sign.
    if (contiguous) {
      for (std::int64_t c = 0; c < count; ++c) target[c] = static_cast<To>(source[c]);
    } else {
      for (std::int64_t c = 0; c < count; ++c)
        target[c] = static_cast<To>(source[copy.from[static_cast<std::size_t>(c)]]);
    }
    // NOLINTEND(bugprone-signed-char-misuse)
    std::fill(target + count, target + copy.length, To{});
  }
}

using CopyIncomplete = void (*)(const StripCopy::Axis&, std::int64_t, const char*, char*);

/// Returns the function for groups of one incomplete strip, or null for all other groups.
template <class From, class To>
CopyIncomplete incomplete_copy(const StripCopy& copy) {
  constexpr CopyIncomplete kCopies[] = {nullptr, copy_incomplete<1>, copy_incomplete<2>,
                                        copy_incomplete<3>};
  const std::int64_t count = std::ssize(copy.from);
  const bool contiguous = copy.from.back() - copy.from.front() == count - 1;
  const auto bytes = static_cast<std::size_t>(count) * sizeof(From);
  const bool is_one = copy.length * static_cast<std::int64_t>(sizeof(To)) == sizeof(std::uint32_t);
  const bool padded =
      std::ranges::find(copy.line.from, StripCopy::kPadding) != copy.line.from.end();
  if (!std::is_same_v<From, To> || !contiguous || padded || !is_one || bytes >= std::size(kCopies))
    return nullptr;
  return kCopies[bytes];
}

/// Returns the segments of lines whose groups are whole strips and contiguous, or nothing.
template <class From, class To>
std::vector<Segment> dense_segments(const StripCopy& copy) {
  const std::int64_t count = std::ssize(copy.from);
  if (!std::is_same_v<From, To> || copy.length != count ||
      copy.from.back() - copy.from.front() != count - 1)
    return {};
  return segments_of(copy.line, count, count);
}

template <class From, class To>
void copy_dense(const StripCopy& copy, const std::vector<Segment>& segments, const From* from,
                To* to) {
  for (const Segment& segment : segments) {
    const auto bytes = static_cast<std::size_t>(segment.count * copy.length) * sizeof(To);
    if (segment.from == StripCopy::kPadding)
      std::memset(static_cast<void*>(to + segment.to), 0, bytes);
    else
      std::memcpy(static_cast<void*>(to + segment.to), from + segment.from, bytes);
  }
}

template <class From, class To>
void copy_lines(const StripCopy& copy, const From* from, To* to, TaskRange range) {
  const CopyIncomplete incomplete = incomplete_copy<From, To>(copy);
  const std::vector<Segment> dense = dense_segments<From, To>(copy);
  LineWalk walk(copy, range.first);
  for (std::int64_t line = range.first; line < range.last; ++line, walk.advance()) {
    if (walk.is_padding())
      copy_line<From, To>(copy, nullptr, to + walk.to());
    else if (!dense.empty())
      copy_dense(copy, dense, from + walk.from(), to + walk.to());
    else if (incomplete != nullptr)
      incomplete(copy.line, sizeof(From), reinterpret_cast<const char*>(from + walk.from()),
                 reinterpret_cast<char*>(to + walk.to()));
    else
      copy_line(copy, from + walk.from(), to + walk.to());
  }
}

template <class From>
void copy_from(const StripCopy& copy, const char* from, char* to, TaskRange range) {
  const auto* const source = reinterpret_cast<const From*>(from);
  if (copy.from_type == copy.to_type)
    return copy_lines(copy, source, reinterpret_cast<From*>(to), range);
  if constexpr (kIsReal<From>)
    return copy_lines(copy, source, reinterpret_cast<float*>(to), range);
  else
    return copy_lines(copy, source, reinterpret_cast<std::int16_t*>(to), range);
}

/// Returns the distance of neighbours in the source, or the largest number for a single index.
std::int64_t nearest_step(const StripCopy::Axis& axis) {
  const auto first = std::ranges::find_if(
      axis.from, [](std::int64_t from) { return from != StripCopy::kPadding; });
  if (std::distance(first, axis.from.end()) < 2 || first[1] == StripCopy::kPadding)
    return std::numeric_limits<std::int64_t>::max();
  return first[1] - first[0];
}

/// Returns the offsets of the taps of `count` columns of strips. `axis` holds the columns of the
/// source.
StripCopy::Joined joined_columns(const Computation& elements, Dim taps, std::int64_t count,
                                 const AxisLayout& axis) {
  const DataDim& columns = elements.tensor(Operand::input).data.back();
  const std::int64_t dilation = coefficient_of(columns, taps);
  std::int64_t stride = 0;
  for (const Term& term : columns.terms)
    if (term.dim != taps) stride = term.coefficient;
  StripCopy::Joined joined{.taps = static_cast<std::size_t>(elements.extent(taps))};
  joined.from.reserve(static_cast<std::size_t>(count) * joined.taps);
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t tap = 0; tap < elements.extent(taps); ++tap) {
      const std::int64_t at = columns.offset + i * stride + tap * dilation;
      const bool exists = at >= 0 && at < columns.extent;
      joined.from.push_back(exists ? axis.offset(at) : StripCopy::kPadding);
    }
  return joined;
}

/// Describes one data dim of the source and its counterpart in the strips.
struct CopiedAxis {
  const DataDim &source, &target;
  const AxisLayout &from, &to;
  std::int64_t strip = 1;  ///< A strip has this many elements.
};

/// Returns the offsets of the indices of the strips. Those outside the source are padding.
StripCopy::Axis offsets_of(const CopiedAxis& copied) {
  const std::int64_t before = copied.target.offset - copied.source.offset;
  StripCopy::Axis axis;
  for (std::int64_t i = 0; i < copied.target.extent; ++i) {
    const bool exists = i >= before && i - before < copied.source.extent;
    axis.from.push_back(exists ? copied.from.offset(i - before) : StripCopy::kPadding);
    axis.to.push_back(copied.to.offset(i) * copied.strip);
  }
  return axis;
}

/// Returns the offsets of joined columns. Those in the source are in StripCopy::Joined.
StripCopy::Axis joined_offsets(const CopiedAxis& copied) {
  StripCopy::Axis axis;
  axis.from.assign(static_cast<std::size_t>(copied.target.extent), 0);
  for (std::int64_t i = 0; i < copied.target.extent; ++i)
    axis.to.push_back(copied.to.offset(i) * copied.strip);
  return axis;
}

/// Makes the axis whose neighbours are nearest in the source the line. `columns` is the position of
/// the joined columns, if any, which are `column_step` apart.
void choose_line(StripCopy& copy, std::optional<std::size_t> columns, std::int64_t column_step) {
  copy.line = {.from = {0}, .to = {0}};
  copy.joined.axis = columns;
  if (copy.axes.size() < 2) return;  // A single axis is shared out to threads instead.
  const auto step = [&](const StripCopy::Axis& axis) {
    const bool joins = columns && &axis == &copy.axes[*columns];
    return joins ? column_step : nearest_step(axis);
  };
  const auto nearest = std::ranges::min_element(copy.axes, {}, step);
  const auto place = static_cast<std::size_t>(nearest - copy.axes.begin());
  copy.line = std::move(*nearest);
  copy.axes.erase(nearest);
  if (columns == place)
    copy.joined.axis.reset();
  else if (columns && place < *columns)
    --*copy.joined.axis;
}

}  // namespace

StripCopy plan_strip_copy(const Computation& elements, const TensorLayout& from,
                          const Computation& strips, const TensorLayout& to) {
  const TensorAccess& source = elements.tensor(Operand::input);
  const TensorAccess& target = strips.tensor(Operand::input);
  const std::size_t channels = find_term(source, strip_dim(elements))->index;
  const std::size_t strips_axis = find_term(target, strip_dim(elements))->index;
  TILEPLAN_CHECK(to.axes[strips_axis].stride == 1 && to.axes[strips_axis].block == 0,
                 "strips of a copy are neighbours");
  StripCopy copy{.from_type = source.type,
                 .to_type = target.type,
                 .axes = {},
                 .line = {},
                 .from = {},
                 .length = target.data[strips_axis].extent * target.strip,
                 .joined = {}};
  for (std::int64_t i = 0; i < source.data[channels].extent; ++i)
    copy.from.push_back(from.axes[channels].offset(i));
  const auto taps = joined_taps(elements, strips);
  std::optional<std::size_t> columns;
  std::int64_t column_step = 0;
  for (std::size_t a = 0; a < source.data.size(); ++a) {
    if (a == channels) continue;
    const bool joins = taps && is_present(source.data[a], *taps);
    // A copy of a transposed matrix has its two last axes in the other order.
    const std::size_t own = joins || strips_axis == channels || a != strips_axis ? a : channels;
    const CopiedAxis copied{source.data[a], target.data[own], from.axes[a], to.axes[own],
                            target.strip};
    copy.axes.push_back(joins ? joined_offsets(copied) : offsets_of(copied));
    if (!joins) continue;
    columns = copy.axes.size() - 1;
    column_step = from.axes[a].stride;
    copy.joined = joined_columns(elements, *taps, target.data[a].extent, from.axes[a]);
  }
  choose_line(copy, columns, column_step);
  for (const StripCopy::Axis& axis : copy.axes) copy.lines *= std::ssize(axis.from);
  return copy;
}

void copy_strips(const StripCopy& copy, const char* from, char* to, TaskRange range) {
  if (range.first >= range.last) return;
  if (copy.joined.taps > 0) return copy_joined_strips(copy, from, to, range);
  with_element(copy.from_type,
               [&](auto zero) { copy_from<decltype(zero)>(copy, from, to, range); });
}

}  // namespace tileplan
