// SPDX-License-Identifier: Apache-2.0
// If the channels of a group are contiguous and fill its strips, neighbouring groups are copied
// with one memcpy or converted in one loop. Contiguous channels that keep their type and fill a
// part of strips that have 4 or 8 bytes together are copied word by word. One loop widens
// neighbouring groups of one channel to strips of two s16. Other groups are copied in stretches of
// neighbouring channels if these are long or if there is only one stretch, and else element by
// element. The file strip_join.cpp copies strips that join filter columns.
#include "strip_copy.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <numeric>
#include <type_traits>

#include "check.h"
#include "element.h"
#include "line_walk.h"
#include "strip_join.h"
#include "strips.h"
#include "widen.h"

namespace tileplan {
namespace {

/// Copies `count` neighbouring groups. The strips of each group have `length` bytes together.
using CopyGroups = void (*)(std::size_t count, std::size_t length, const char* from, char* to);

void copy_whole(std::size_t count, std::size_t length, const char* from, char* to) {
  std::memcpy(to, from, count * length);
}

/// Copies groups of `bytes` bytes, whose strips form one Word per group, with zeros beyond the
/// bytes. Whole words are read where enough bytes of other groups follow, because reading the bytes
/// of a word one by one takes several loads.
template <class Word, std::size_t bytes>
void copy_incomplete(std::size_t count, std::size_t /*length*/, const char* from, char* to) {
  constexpr std::size_t kSize = sizeof(Word);
  constexpr auto kMask = static_cast<Word>(~Word{0} >> 8 * (kSize - bytes));
  const std::size_t all = count * bytes;
  const std::size_t whole = all < kSize ? 0 : (all - kSize) / bytes + 1;
  Word strip = 0;
  for (std::size_t i = 0; i < whole; ++i) {
    std::memcpy(&strip, from + i * bytes, kSize);
    strip &= kMask;
    std::memcpy(to + i * kSize, &strip, kSize);
  }
  strip = 0;
  for (std::size_t i = whole; i < count; ++i) {
    std::memcpy(&strip, from + i * bytes, bytes);
    std::memcpy(to + i * kSize, &strip, kSize);
  }
}

/// Returns the function for groups of `bytes` bytes, whose strips have `length` bytes together, or
/// null.
CopyGroups group_copy(std::size_t bytes, std::size_t length) {
  constexpr CopyGroups kWords[] = {nullptr, copy_incomplete<std::uint32_t, 1>,
                                   copy_incomplete<std::uint32_t, 2>,
                                   copy_incomplete<std::uint32_t, 3>};
  constexpr CopyGroups kPairs[] = {copy_incomplete<std::uint64_t, 5>,
                                   copy_incomplete<std::uint64_t, 6>,
                                   copy_incomplete<std::uint64_t, 7>};
  constexpr std::size_t kWord = sizeof(std::uint32_t);
  if (bytes == length) return copy_whole;
  if (length == kWord) return kWords[bytes];
  return length == 2 * kWord && bytes > kWord ? kPairs[bytes - kWord - 1] : nullptr;
}

/// Returns the stretches of channels that are neighbours in the source, such as the blocks of
/// nChw8c. Segment::to counts channels.
std::vector<Segment> stretches_of(const std::vector<std::int64_t>& channels) {
  StripCopy::Axis axis{.from = channels, .to = std::vector<std::int64_t>(channels.size())};
  std::iota(axis.to.begin(), axis.to.end(), std::int64_t{0});
  return segments_of(axis, 1, 1);
}

/// Copies a line, or writes zeros when `from` is null.
template <class From, class To>
void copy_line(const StripCopy& copy, const std::vector<Segment>& stretches, const From* from,
               To* to) {
  constexpr std::int64_t kLong = 8;
  const std::int64_t count = std::ssize(copy.from);
  const bool is_long = stretches.size() == 1 || std::ssize(stretches) * kLong <= count;
  for (std::size_t i = 0; i < copy.line.from.size(); ++i) {
    To* const target = to + copy.line.to[i];
    if (from == nullptr || copy.line.from[i] == StripCopy::kPadding) {
      std::fill_n(target, copy.length, To{});
      continue;
    }
    const From* const source = from + copy.line.from[i];
    if (is_long) {
      for (const Segment& stretch : stretches)
        widen(source + stretch.from, target + stretch.to, stretch.count);
    } else {
      // NOLINTBEGIN(bugprone-signed-char-misuse): Widening s8 to s16 must keep the sign.
      for (std::int64_t c = 0; c < count; ++c)
        target[c] = static_cast<To>(source[copy.from[static_cast<std::size_t>(c)]]);
      // NOLINTEND(bugprone-signed-char-misuse)
    }
    std::fill(target + count, target + copy.length, To{});
  }
}

/// Describes how neighbouring groups of a line are copied or converted in one loop. Without
/// segments, copy_line() copies each line.
struct MemoryCopy {
  CopyGroups function = nullptr;
  bool is_single = false;  ///< Tells whether each strip gets one converted element and a zero.
  std::size_t length = 0;  ///< The strips of a group have this many bytes.
  std::vector<Segment> segments = {};
};

template <class From, class To>
MemoryCopy memory_copy(const StripCopy& copy) {
  const std::int64_t count = std::ssize(copy.from);
  if (copy.from.back() - copy.from.front() != count - 1) return {};
  MemoryCopy result{.length = static_cast<std::size_t>(copy.length) * sizeof(To)};
  if (std::is_same_v<From, To>)
    result.function = group_copy(static_cast<std::size_t>(count) * sizeof(From), result.length);
  constexpr bool kConverts = !std::is_same_v<From, To>;
  result.is_single = kConverts && !kIsReal<From> && count == 1 && copy.length == 2;
  if (result.function != nullptr || result.is_single || (kConverts && count == copy.length))
    result.segments = segments_of(copy.line, count, copy.length);
  return result;
}

/// Converts elements to strips of two s16, of which the second is 0.
template <class From>
[[gnu::target("avx2")]] void widen_singles(const From* from, char* to, std::size_t count) {
  auto* const strips = reinterpret_cast<std::uint32_t*>(to);
  for (std::size_t i = 0; i < count; ++i)
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): Widening s8 to s16 must keep the sign.
    strips[i] = static_cast<std::uint16_t>(static_cast<std::int16_t>(from[i]));
}

template <class From, class To>
void widen_groups(const MemoryCopy& copy, const From* from, To* to, std::size_t count) {
  if constexpr (!kIsReal<From>)
    if (copy.is_single) return widen_singles(from, reinterpret_cast<char*>(to), count);
  widen(from, to, static_cast<std::int64_t>(count * copy.length / sizeof(To)));
}

template <class From, class To>
void copy_segments(const MemoryCopy& copy, const From* from, To* to) {
  for (const Segment& segment : copy.segments) {
    auto* const target = reinterpret_cast<char*>(to + segment.to);
    const auto count = static_cast<std::size_t>(segment.count);
    if (segment.from == StripCopy::kPadding)
      std::memset(target, 0, count * copy.length);
    else if constexpr (!std::is_same_v<From, To>)
      widen_groups(copy, from + segment.from, to + segment.to, count);
    else
      copy.function(count, copy.length, reinterpret_cast<const char*>(from + segment.from), target);
  }
}

template <class From, class To>
void copy_lines(const StripCopy& copy, const From* from, To* to, TaskRange range) {
  const MemoryCopy memory = memory_copy<From, To>(copy);
  const std::vector<Segment> stretches = stretches_of(copy.from);
  LineWalk walk(copy, range.first);
  for (std::int64_t line = range.first; line < range.last; ++line, walk.advance()) {
    if (walk.is_padding())
      copy_line<From, To>(copy, stretches, nullptr, to + walk.to());
    else if (!memory.segments.empty())
      copy_segments(memory, from + walk.from(), to + walk.to());
    else
      copy_line(copy, stretches, from + walk.from(), to + walk.to());
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

/// Returns the distance in the source of the first two indices outside the padding, or the largest
/// number when there are no two.
std::int64_t nearest_step(const StripCopy::Axis& axis) {
  const auto first = std::ranges::find_if(
      axis.from, [](std::int64_t from) { return from != StripCopy::kPadding; });
  if (std::distance(first, axis.from.end()) < 2 || first[1] == StripCopy::kPadding)
    return std::numeric_limits<std::int64_t>::max();
  return first[1] - first[0];
}

/// Returns the offsets in the source, or kPadding, of the taps of `count` columns of strips. The
/// columns of the source have the layout `axis`.
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

/// Describes one dimension of the source and its counterpart in the strips.
struct CopiedAxis {
  const DataDim &source, &target;
  const AxisLayout &from, &to;
  std::int64_t strip = 1;  ///< A strip has this many elements.
};

/// Returns the offsets of the indices of the strips. Indices outside the source are padding.
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

/// Returns the offsets of joined columns in the strips. Their offsets in the source are in
/// StripCopy::Joined.
StripCopy::Axis joined_offsets(const CopiedAxis& copied) {
  StripCopy::Axis axis;
  axis.from.assign(static_cast<std::size_t>(copied.target.extent), 0);
  for (std::int64_t i = 0; i < copied.target.extent; ++i)
    axis.to.push_back(copied.to.offset(i) * copied.strip);
  return axis;
}

/// Selects as `line` the axis with the smallest stride in the source. `columns` is the position of
/// the axis of joined columns, if any, whose stride counts as `column_step`.
void choose_line(StripCopy& copy, std::optional<std::size_t> columns, std::int64_t column_step) {
  copy.line = {.from = {0}, .to = {0}};
  copy.joined.axis = columns;
  // A single axis does not become the line, because threads divide its indices among each other.
  if (copy.axes.size() < 2) return;
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
    // The copy of a transposed matrix has its last two axes swapped relative to the source.
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
