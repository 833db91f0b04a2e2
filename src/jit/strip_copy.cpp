// SPDX-License-Identifier: Apache-2.0
// An odometer counts the lines, because divisions for each line would take longer than short lines.
#include "strip_copy.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <type_traits>

#include "check.h"
#include "element.h"
#include "strips.h"

namespace tileplan {
namespace {

/// Walks through the lines of a copy and knows where the current one begins in both tensors.
class LineWalk {
 public:
  LineWalk(const StripCopy& copy, std::int64_t line) : copy_(copy), digits_(copy.axes.size()) {
    for (std::size_t a = digits_.size(); a-- > 0;) {
      const auto extent = std::ssize(copy.axes[a].from);
      digits_[a] = static_cast<std::size_t>(line % extent);
      line /= extent;
    }
    locate();
  }

  bool is_padding() const { return is_padding_; }
  /// Returns the index of the line along axis `axis`.
  std::size_t index(std::size_t axis) const { return digits_[axis]; }
  std::int64_t from() const { return from_; }
  std::int64_t to() const { return to_; }

  void advance() {
    for (std::size_t a = digits_.size(); a-- > 0; digits_[a] = 0)
      if (++digits_[a] < copy_.axes[a].from.size()) break;
    locate();
  }

 private:
  void locate() {
    from_ = to_ = 0;
    is_padding_ = false;
    for (std::size_t a = 0; a < digits_.size(); ++a) {
      const std::int64_t from = copy_.axes[a].from[digits_[a]];
      is_padding_ = is_padding_ || from == StripCopy::kPadding;
      from_ += from == StripCopy::kPadding ? 0 : from;
      to_ += copy_.axes[a].to[digits_[a]];
    }
  }

  const StripCopy& copy_;
  std::vector<std::size_t> digits_;
  std::int64_t from_ = 0, to_ = 0;
  bool is_padding_ = false;
};

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

/// Copies the channels of each tap of a strip, which begin at `taps`, or zeros where that is null.
template <class From, class To>
void copy_taps(const StripCopy& copy, const std::vector<const From*>& taps, To* to) {
  To* next = to;
  for (const From* const tap : taps)
    for (const std::int64_t channel : copy.from)
      // NOLINTNEXTLINE(bugprone-signed-char-misuse): s8 becomes s16 with its sign.
      *next++ = tap == nullptr ? To{} : static_cast<To>(tap[channel]);
  std::fill(next, to + copy.length, To{});
}

/// Interleaves up to `taps` rows of single channels. Compilers use vectors here.
template <int taps, class Number>
void interleave(const std::vector<const Number*>& rows, std::int64_t count, Number* to) {
  const Number* const first = rows[0];
  const Number* const second = rows[1];
  const Number* const third = taps > 2 ? rows[2] : nullptr;
  const Number* const fourth = taps > 3 ? rows[3] : nullptr;
  for (std::int64_t i = 0; i < count; ++i) {
    to[taps * i] = first[i];
    to[taps * i + 1] = second[i];
    if constexpr (taps > 2) to[taps * i + 2] = third[i];
    if constexpr (taps > 3) to[taps * i + 3] = fourth[i];
  }
}

/// Holds the lines of a copy that joins taps while their columns are the same for a whole line.
template <class From, class To>
class TapRows {
 public:
  explicit TapRows(const StripCopy& copy) : copy_(copy) {
    const auto count = std::ssize(copy.line.from);
    const auto strip = static_cast<std::int64_t>(copy.length);
    interleaves_ = std::is_same_v<From, To> && copy.from.size() == 1 &&
                   (strip == 2 || strip == 4) &&
                   copy.joined.taps <= static_cast<std::size_t>(strip) &&
                   copy.line.from.back() == count - 1 && copy.line.to.back() == strip * (count - 1);
    if (interleaves_) zeros_.resize(static_cast<std::size_t>(count));
    rows_.resize(std::max<std::size_t>(copy.joined.taps, static_cast<std::size_t>(strip)));
    taps_.resize(copy.joined.taps);
  }

  /// Copies a line at column `column`, whose offsets are relative to `from` and `to`.
  void copy(std::size_t column, const From* from, To* to) {
    for (std::size_t t = 0; t < taps_.size(); ++t) {
      const std::int64_t offset = copy_.joined.from[column * taps_.size() + t];
      taps_[t] = offset == StripCopy::kPadding ? nullptr : from + offset;
    }
    if (interleaves_) return interleave_taps(to);
    for (std::size_t i = 0; i < copy_.line.from.size(); ++i) {
      rows_ = taps_;
      for (const From*& row : rows_)
        if (row != nullptr) row += copy_.line.from[i];
      copy_taps(copy_, rows_, to + copy_.line.to[i]);
    }
  }

 private:
  void interleave_taps(To* to) {
    const auto count = std::ssize(copy_.line.from);
    for (std::size_t t = 0; t < rows_.size(); ++t) {
      const From* const tap = t < taps_.size() ? taps_[t] : nullptr;
      rows_[t] = tap == nullptr ? zeros_.data() : tap;
    }
    if constexpr (std::is_same_v<From, To>)
      copy_.length == 2 ? interleave<2>(rows_, count, to) : interleave<4>(rows_, count, to);
  }

  const StripCopy& copy_;
  bool interleaves_ = false;
  std::vector<From> zeros_;
  std::vector<const From*> taps_, rows_;
};

/// Copies the lines in `range` of a copy that joins taps.
template <class From, class To>
void copy_joined(const StripCopy& copy, const From* from, To* to, TaskRange range) {
  const StripCopy::Joined& joined = copy.joined;
  TapRows<From, To> rows(copy);
  std::vector<const From*> taps(joined.taps);
  LineWalk walk(copy, range.first);
  for (std::int64_t line = range.first; line < range.last; ++line, walk.advance()) {
    if (joined.axis) {
      rows.copy(walk.index(*joined.axis), from + walk.from(), to + walk.to());
      continue;
    }
    for (std::size_t i = 0; i < copy.line.to.size(); ++i) {
      for (std::size_t t = 0; t < joined.taps; ++t) {
        const std::int64_t offset = joined.from[i * joined.taps + t];
        taps[t] = offset == StripCopy::kPadding ? nullptr : from + walk.from() + offset;
      }
      copy_taps(copy, taps, to + walk.to() + copy.line.to[i]);
    }
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

template <class From, class To>
void copy_lines(const StripCopy& copy, const From* from, To* to, TaskRange range) {
  if (copy.joined.taps > 0) return copy_joined(copy, from, to, range);
  const CopyIncomplete incomplete = incomplete_copy<From, To>(copy);
  LineWalk walk(copy, range.first);
  for (std::int64_t line = range.first; line < range.last; ++line, walk.advance()) {
    if (walk.is_padding())
      copy_line<From, To>(copy, nullptr, to + walk.to());
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

}  // namespace

StripCopy plan_strip_copy(const Computation& elements, const TensorLayout& from,
                          const Computation& strips, const TensorLayout& to) {
  const TensorAccess& source = elements.tensor(Operand::input);
  const TensorAccess& target = strips.tensor(Operand::input);
  const std::size_t channels = find_term(source, strip_dim(elements))->index;
  const std::size_t strips_axis = find_term(target, strip_dim(elements))->index;
  StripCopy copy;
  copy.from_type = source.type;
  copy.to_type = target.type;
  copy.length = target.data[strips_axis].extent * target.strip;
  const auto taps = joined_taps(elements, strips);
  std::optional<std::size_t> columns;
  std::int64_t column_step = 0;
  TILEPLAN_CHECK(to.axes[strips_axis].stride == 1 && to.axes[strips_axis].block == 0,
                 "strips of a copy are neighbours");
  for (std::int64_t i = 0; i < source.data[channels].extent; ++i)
    copy.from.push_back(from.axes[channels].offset(i));
  for (std::size_t a = 0; a < source.data.size(); ++a) {
    if (a == channels) continue;
    // A copy of a transposed matrix has its two last axes in the other order.
    const std::size_t own = strips_axis == channels || a != strips_axis ? a : channels;
    StripCopy::Axis& axis = copy.axes.emplace_back();
    if (taps && is_present(source.data[a], *taps)) {
      columns = copy.axes.size() - 1;
      column_step = from.axes[a].stride;
      copy.joined = joined_columns(elements, *taps, target.data[a].extent, from.axes[a]);
      axis.from.assign(static_cast<std::size_t>(target.data[a].extent), 0);
      for (std::int64_t i = 0; i < target.data[a].extent; ++i)
        axis.to.push_back(to.axes[a].offset(i) * target.strip);
      continue;
    }
    const std::int64_t before = target.data[own].offset - source.data[a].offset;
    for (std::int64_t i = 0; i < target.data[own].extent; ++i) {
      const bool exists = i >= before && i - before < source.data[a].extent;
      axis.from.push_back(exists ? from.axes[a].offset(i - before) : StripCopy::kPadding);
      axis.to.push_back(to.axes[own].offset(i) * target.strip);
    }
  }
  copy.line = {.from = {0}, .to = {0}};
  if (copy.axes.size() > 1) {  // A single axis is shared out to threads instead.
    const auto step = [&](const StripCopy::Axis& axis) {
      const bool joins = columns && &axis == &copy.axes[*columns];
      return joins ? column_step : nearest_step(axis);
    };
    const auto nearest = std::ranges::min_element(copy.axes, {}, step);
    const auto place = static_cast<std::size_t>(nearest - copy.axes.begin());
    copy.line = std::move(*nearest);
    copy.axes.erase(nearest);
    if (columns && place != *columns) copy.joined.axis = *columns - (place < *columns ? 1 : 0);
  } else if (columns) {
    copy.joined.axis = columns;
  }
  for (const StripCopy::Axis& axis : copy.axes) copy.lines *= std::ssize(axis.from);
  return copy;
}

void copy_strips(const StripCopy& copy, const char* from, char* to, TaskRange range) {
  if (range.first >= range.last) return;
  with_element(copy.from_type,
               [&](auto zero) { copy_from<decltype(zero)>(copy, from, to, range); });
}

}  // namespace tileplan
