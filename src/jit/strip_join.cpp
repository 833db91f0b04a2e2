// SPDX-License-Identifier: Apache-2.0
// If each line holds one column, and the strips of a group of one channel have 4 bytes (or 8, in
// numbers of 2 bytes), the rows of the taps are interleaved. If each line holds the columns of one
// row, the taps of a column that are contiguous in the source, keep their type and have at least 8
// bytes are mostly copied in words. All others are copied element by element.
#include "strip_join.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "check.h"
#include "element.h"
#include "line_walk.h"

namespace tileplan {
namespace {

/// Copies the strips of one group of column `column`, with zeros for taps in the padding.
template <class From, class To>
void copy_taps(const StripCopy& copy, std::int64_t column, const From* from, To* to) {
  const StripCopy::Joined& joined = copy.joined;
  To* next = to;
  for (std::size_t t = 0; t < joined.taps; ++t) {
    const std::int64_t offset = joined.from[static_cast<std::size_t>(column) * joined.taps + t];
    const bool exists = offset != StripCopy::kPadding;
    for (const std::int64_t channel : copy.from)
      // NOLINTNEXTLINE(bugprone-signed-char-misuse): Widening s8 to s16 must keep the sign.
      *next++ = exists ? static_cast<To>(from[offset + channel]) : To{};
  }
  std::fill(next, to + copy.length, To{});
}

/// Interleaves rows of single channels: each strip is a Word that holds one number of type To from
/// each row. Every CPU that runs a kernel has AVX2, which compilers use here.
template <class To, class Word, class From>
[[gnu::target("avx2"), gnu::always_inline]] inline void interleave(const From* const* rows,
                                                                   std::int64_t count, char* to) {
  constexpr int kBits = 8 * sizeof(To);
  const auto bits = [](From number) __attribute__((always_inline)) {
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): Widening s8 to s16 must keep the sign.
    return Word{static_cast<std::make_unsigned_t<To>>(static_cast<To>(number))};
  };
  const From* const first = rows[0];
  const From* const second = rows[1];
  auto* __restrict strips = reinterpret_cast<Word*>(to);
  if constexpr (sizeof(Word) == 2 * sizeof(To)) {
    for (std::int64_t i = 0; i < count; ++i) strips[i] = bits(first[i]) | bits(second[i]) << kBits;
  } else {
    const From* const third = rows[2];
    const From* const fourth = rows[3];
    for (std::int64_t i = 0; i < count; ++i)
      strips[i] = bits(first[i]) | bits(second[i]) << kBits | bits(third[i]) << 2 * kBits |
                  bits(fourth[i]) << 3 * kBits;
  }
}

constexpr std::int64_t kWord = 8;

/// Writes zeros to the last word of `length` bytes, and then copies `bytes` bytes in words that may
/// overlap. Requires that `bytes` is at least one word, and `length` at most one word more.
[[gnu::always_inline]] inline void copy_short(const char* from, char* to, std::int64_t bytes,
                                              std::int64_t length) {
  std::memset(to + length - kWord, 0, kWord);
  for (std::int64_t at = 0; at + kWord <= bytes; at += kWord)
    std::memcpy(to + at, from + at, kWord);
  std::memcpy(to + bytes - kWord, from + bytes - kWord, kWord);
}

/// Returns, for each column of a line, the bytes of its taps, or 0 where copy_short() cannot copy
/// them, for example because they are not contiguous in the source.
template <class From, class To>
std::vector<std::int64_t> contiguous_bytes(const StripCopy& copy) {
  const StripCopy::Joined& joined = copy.joined;
  std::vector<std::int64_t> all(copy.line.to.size(), 0);
  const std::int64_t channels = std::ssize(copy.from);
  const auto taps = static_cast<std::int64_t>(joined.taps);
  const std::int64_t bytes = channels * taps * static_cast<std::int64_t>(sizeof(From));
  const bool dense = copy.from.back() - copy.from.front() == channels - 1;
  const std::int64_t behind = copy.length * static_cast<std::int64_t>(sizeof(To)) - bytes;
  if (joined.axis || !std::is_same_v<From, To> || !dense || bytes < kWord || behind > kWord)
    return all;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto first = joined.from.begin() + static_cast<std::ptrdiff_t>(i * joined.taps);
    const bool inside = std::find(first, first + taps, StripCopy::kPadding) == first + taps;
    if (inside && first[taps - 1] - first[0] == (taps - 1) * channels) all[i] = bytes;
  }
  return all;
}

/// Copies columns of groups that have one channel each to strips of one Word.
template <class From, class To, class Word>
class Interleaver {
 public:
  explicit Interleaver(const StripCopy& copy)
      : copy_(copy),
        segments_(segments_of(copy.line, 1, kStrip)),
        zeros_(copy.line.from.size() * sizeof(From)) {}

  static bool fits(const StripCopy& copy) {
    return copy.from.size() == 1 && copy.length == kStrip &&
           copy.joined.taps <= static_cast<std::size_t>(kStrip);
  }

  /// Copies columns first .. last - 1 of a row, which begins at `from` and `to`.
  [[gnu::target("avx2")]] void copy(const TaskRange& columns, const From* from, char* to) const {
    const StripCopy::Axis& axis = copy_.axes[*copy_.joined.axis];
    for (std::int64_t column = columns.first; column < columns.last; ++column) {
      const std::array<const From*, kStrip> taps = taps_of(column, from);
      char* const strips = to + axis.to[static_cast<std::size_t>(column)] * kBytes;
      for (const Segment& segment : segments_) {
        std::array<const From*, kStrip> rows = taps;
        for (const From*& row : rows)
          row = row == nullptr ? reinterpret_cast<const From*>(zeros_.data()) : row + segment.from;
        interleave<To, Word>(rows.data(), segment.count, strips + segment.to * kBytes);
      }
    }
  }

 private:
  static constexpr std::int64_t kBytes = sizeof(To);
  static constexpr std::int64_t kStrip = sizeof(Word) / sizeof(To);

  std::array<const From*, kStrip> taps_of(std::int64_t column, const From* from) const {
    std::array<const From*, kStrip> taps{};
    const StripCopy::Joined& joined = copy_.joined;
    for (std::size_t t = 0; t < joined.taps; ++t) {
      const std::int64_t offset = joined.from[static_cast<std::size_t>(column) * joined.taps + t];
      if (offset != StripCopy::kPadding) taps[t] = from + offset;
    }
    return taps;
  }

  const StripCopy& copy_;
  const std::vector<Segment> segments_;
  const std::vector<char> zeros_;
};

/// Calls visit(columns, source, target) for the lines of each row that lie in `range`. Each line is
/// one column, and `target` is the address of column 0 of the row.
template <class From, class To, class Visit>
void for_each_row(const StripCopy& copy, const From* from, To* to, TaskRange range,
                  const Visit& visit) {
  const StripCopy::Axis& axis = copy.axes[*copy.joined.axis];
  TILEPLAN_CHECK(*copy.joined.axis + 1 == copy.axes.size(), "consecutive lines are columns");
  const auto count = std::ssize(axis.to);
  for (std::int64_t line = range.first; line < range.last;) {
    const std::int64_t column = line % count;
    const std::int64_t end = std::min(count, column + range.last - line);
    const LineWalk walk(copy, line);
    visit(TaskRange{column, end}, from + walk.from(),
          to + walk.to() - axis.to[static_cast<std::size_t>(column)]);
    line += end - column;
  }
}

/// Interleaves the rows of columns if they fit an Interleaver of `Word`. Returns false, without
/// copying anything, if they do not.
template <class Word, class From, class To>
bool interleave_rows(const StripCopy& copy, const From* from, To* to, TaskRange range) {
  // Numbers that keep their type are copied as bits. This compiles one loop for each size.
  constexpr bool kKeeps = std::is_same_v<From, To>;
  using Bits = std::conditional_t<sizeof(From) == 1, std::uint8_t, std::uint16_t>;
  using Source = std::conditional_t<kKeeps, Bits, From>;
  using Rows = Interleaver<Source, std::conditional_t<kKeeps, Bits, To>, Word>;
  if (!Rows::fits(copy)) return false;
  const Rows rows(copy);
  for_each_row(copy, from, to, range, [&](const TaskRange& columns, const From* source, To* row) {
    rows.copy(columns, reinterpret_cast<const Source*>(source), reinterpret_cast<char*>(row));
  });
  return true;
}

/// Copies rows of columns when each line holds the groups of channels of one column.
template <class From, class To>
void copy_rows(const StripCopy& copy, const From* from, To* to, TaskRange range) {
  if (interleave_rows<std::uint32_t>(copy, from, to, range)) return;
  if constexpr (sizeof(To) == 2)
    if (interleave_rows<std::uint64_t>(copy, from, to, range)) return;
  const StripCopy::Axis& axis = copy.axes[*copy.joined.axis];
  for_each_row(copy, from, to, range, [&](const TaskRange& columns, const From* source, To* row) {
    for (std::int64_t at = columns.first; at < columns.last; ++at)
      for (std::size_t i = 0; i < copy.line.to.size(); ++i)
        copy_taps(copy, at, source + copy.line.from[i],
                  row + axis.to[static_cast<std::size_t>(at)] + copy.line.to[i]);
  });
}

/// Copies lines when each line holds the columns of one row.
template <class From, class To>
void copy_columns(const StripCopy& copy, const From* from, To* to, TaskRange range) {
  const std::vector<std::int64_t> shorts = contiguous_bytes<From, To>(copy);
  const std::int64_t length = copy.length * static_cast<std::int64_t>(sizeof(To));
  LineWalk walk(copy, range.first);
  for (std::int64_t line = range.first; line < range.last; ++line, walk.advance())
    for (std::size_t i = 0; i < copy.line.to.size(); ++i) {
      const From* const source = from + walk.from();
      To* const strips = to + walk.to() + copy.line.to[i];
      if (shorts[i] == 0)
        copy_taps(copy, static_cast<std::int64_t>(i), source, strips);
      else
        copy_short(reinterpret_cast<const char*>(source + copy.joined.from[i * copy.joined.taps]),
                   reinterpret_cast<char*>(strips), shorts[i], length);
    }
}

template <class From, class To>
void copy_as(const StripCopy& copy, const char* from, char* to, TaskRange range) {
  const auto* const source = reinterpret_cast<const From*>(from);
  auto* const target = reinterpret_cast<To*>(to);
  copy.joined.axis ? copy_rows(copy, source, target, range)
                   : copy_columns(copy, source, target, range);
}

}  // namespace

void copy_joined_strips(const StripCopy& copy, const char* from, char* to, TaskRange range) {
  with_element(copy.from_type, [&](auto zero) {
    using From = decltype(zero);
    if (copy.from_type == copy.to_type) return copy_as<From, From>(copy, from, to, range);
    if constexpr (!kIsReal<From>) copy_as<From, std::int16_t>(copy, from, to, range);
  });
}

}  // namespace tileplan
