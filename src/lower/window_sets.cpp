// SPDX-License-Identifier: Apache-2.0
// Outputs away from the borders share the set of all taps, so there are few sets.
#include "window_sets.h"

#include <algorithm>
#include <tuple>

namespace tileplan {
namespace {

/// Returns the filter taps that lie inside the input for output number `out` of one axis.
WindowSets::Range taps_inside(const Axis& axis, std::int64_t out) {
  WindowSets::Range taps{.first = axis.filter, .last = 0};
  for (std::int64_t tap = 0; tap < axis.filter; ++tap) {
    const std::int64_t at = out * axis.stride + tap * axis.dilation - axis.pad_before;
    if (at < 0 || at >= axis.in) continue;
    taps.first = std::min(taps.first, tap);
    taps.last = tap + 1;
  }
  return taps.first < taps.last ? taps : WindowSets::Range{0, 0};
}

WindowSets::Direction direction_of(const Axis& axis) {
  WindowSets::Direction direction{.axis = axis, .ranges = {{0, axis.filter}}};
  for (std::int64_t out = 0; out < axis.out; ++out) {
    const WindowSets::Range taps = taps_inside(axis, out);
    // Ranges grow and then shrink along an axis, so an equal range is often among the last ones.
    auto found = std::find(direction.ranges.rbegin(), direction.ranges.rend(), taps);
    if (found == direction.ranges.rend()) {
      direction.ranges.push_back(taps);
      found = direction.ranges.rbegin();
    }
    direction.of_output.push_back(static_cast<std::uint32_t>(direction.ranges.rend() - found - 1));
  }
  return direction;
}

}  // namespace

WindowSets window_sets(const ConvShape& shape) {
  WindowSets sets;
  sets.directions = {direction_of(shape.depth), direction_of(shape.height),
                     direction_of(shape.width)};
  const auto& [depth, height, width] =
      std::tie(sets.directions[0], sets.directions[1], sets.directions[2]);
  for (const std::uint32_t d : depth.of_output)
    for (const std::uint32_t h : height.of_output)
      for (const std::uint32_t w : width.of_output)
        sets.of_pixel.push_back(
            static_cast<std::uint32_t>((d * height.ranges.size() + h) * width.ranges.size() + w));
  sets.count = depth.ranges.size() * height.ranges.size() * width.ranges.size();
  return sets;
}

}  // namespace tileplan
