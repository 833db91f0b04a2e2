// SPDX-License-Identifier: Apache-2.0
// Copies the input of the caller to strips of the types that the loops multiply.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "loop_tree.h"
#include "tensor_layout.h"

namespace tileplan {

/// Describes the copy of a tensor as lines of groups of channels: a line for each combination of
/// the indices of all data dims but that of the strips and one more, `line`, which is the nearest
/// in the source. Offsets are in elements.
struct StripCopy {
  /// Holds the offsets of the indices of one data dim. Those with kPadding in `from` become zeros.
  struct Axis {
    std::vector<std::int64_t> from, to;
  };
  static constexpr std::int64_t kPadding = std::numeric_limits<std::int64_t>::min();
  /// Strips join the channels of several filter columns. The channels of tap t of column i have
  /// the offset from[i * taps + t], which may be kPadding. `axis` then holds no offsets in the
  /// source; it is the position of the columns in `axes`, or none when they are the line.
  struct Joined {
    std::size_t taps = 0;
    std::optional<std::size_t> axis = {};
    std::vector<std::int64_t> from = {};
  };
  ElementType from_type = ElementType::u8, to_type = ElementType::s16;
  std::vector<Axis> axes;  ///< The lines have these axes, outermost first.
  Axis line;
  std::vector<std::int64_t> from;  ///< The channels of a group have these offsets.
  std::int64_t length = 0;         ///< The strips of a group have this many elements.
  std::int64_t lines = 1;
  Joined joined;  ///< It has no taps unless strips join columns.
};

/// Plans the copy of the input of `elements`, which has the layout `from`, to that of `strips` (the
/// result of in_strips()), which has the layout `to`. Requires: strips are neighbours in `to`.
StripCopy plan_strip_copy(const Computation& elements, const TensorLayout& from,
                          const Computation& strips, const TensorLayout& to);

/// Copies the lines in `range`, and writes zeros where the last strip of a group is incomplete.
void copy_strips(const StripCopy& copy, const char* from, char* to, TaskRange range);

}  // namespace tileplan
