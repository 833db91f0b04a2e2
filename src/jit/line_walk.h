// SPDX-License-Identifier: Apache-2.0
// This file describes copies to strips. LineWalk divides only to locate its first line and then
// advances by additions, because divisions would take longer than the copy of a short line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "tileplan/element.h"

namespace tileplan {

/// Describes the copy of a tensor to strips (polyhedral/strips.h), line by line. A line has one
/// group of channels for each index of `line`, the dimension with the smallest stride in the
/// source, or a single group if there is only one dimension besides the channels. The copy has a
/// line for each combination of indices of the other dimensions. Offsets are in elements.
struct StripCopy {
  /// Holds the offsets of the indices of one dimension. An index with kPadding in `from` becomes
  /// zeros.
  struct Axis {
    std::vector<std::int64_t> from, to;
  };
  static constexpr std::int64_t kPadding = std::numeric_limits<std::int64_t>::min();
  /// Describes strips that join the channels of several filter columns (taps). The channels of tap
  /// t of column i have the offset from[i * taps + t], which may be kPadding. The offsets in the
  /// source are then here and not in the axis of the columns, which is axes[*axis], or `line` if
  /// `axis` is empty.
  struct Joined {
    std::size_t taps = 0;
    std::optional<std::size_t> axis = {};
    std::vector<std::int64_t> from = {};
  };
  ElementType from_type = ElementType::u8, to_type = ElementType::s16;
  std::vector<Axis> axes;  ///< The lines have these axes, outermost first.
  Axis line;
  std::vector<std::int64_t> from;  ///< The channels of a group have these offsets in the source.
  std::int64_t length = 0;         ///< The strips of one group have this many elements.
  std::int64_t lines = 1;
  Joined joined;  ///< If strips do not join columns, joined.taps is 0.
};

/// Walks through the lines of a copy, and tells where the current line begins in both tensors.
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

/// Describes consecutive indices of a line that are evenly spaced in the source, and also in the
/// target. The members are the offsets of the first index and the number of indices. Each index of
/// padding is a segment of its own, whose `from` is StripCopy::kPadding.
struct Segment {
  std::int64_t from = 0, to = 0, count = 0;
};

/// Divides a line into segments whose consecutive indices are `from_step` apart in the source and
/// `to_step` apart in the target.
inline std::vector<Segment> segments_of(const StripCopy::Axis& line, std::int64_t from_step,
                                        std::int64_t to_step) {
  std::vector<Segment> segments;
  for (std::size_t i = 0; i < line.from.size(); ++i) {
    const bool follows = !segments.empty() && line.from[i] != StripCopy::kPadding &&
                         line.from[i - 1] != StripCopy::kPadding &&
                         line.from[i] == line.from[i - 1] + from_step &&
                         line.to[i] == line.to[i - 1] + to_step;
    if (!follows) segments.push_back({.from = line.from[i], .to = line.to[i]});
    ++segments.back().count;
  }
  return segments;
}

}  // namespace tileplan
