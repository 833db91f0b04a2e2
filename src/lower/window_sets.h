// SPDX-License-Identifier: Apache-2.0
// This file finds the filter taps that lie inside the input, which differ for outputs at the
// borders.
#pragma once

#include <cstdint>
#include <vector>

#include "tileplan/problem.h"

namespace tileplan {

/// Lists the sets of filter taps that lie inside the input for some output. A set is a range of
/// taps in each of three directions, depth first. The range of all taps comes first in each
/// direction even if it fits no output, so set 0 has all taps. Matrix products count as
/// convolutions with one tap.
struct WindowSets {
  /// Holds the taps from `first` to `last` - 1.
  struct Range {
    std::int64_t first = 0, last = 1;
    bool operator==(const Range&) const = default;
  };
  struct Direction {
    Axis axis = {};
    /// Lists the ranges; the range of all taps comes first.
    std::vector<Range> ranges = {Range{}};
    /// Holds the number of the range of each output along the axis.
    std::vector<std::uint32_t> of_output = {};
  };
  std::vector<Direction> directions = std::vector<Direction>(3);
  /// Holds the number of the set of each output pixel of an image. It is empty for matrix products.
  std::vector<std::uint32_t> of_pixel = {};
  std::size_t count = 1;
};

/// Returns the sets of a convolution, numbered such that the range of the width changes fastest.
WindowSets window_sets(const ConvShape& shape);

}  // namespace tileplan
