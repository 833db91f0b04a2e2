// SPDX-License-Identifier: Apache-2.0
// This file finds the usable capacity of a cache from the time per byte of working sets around its
// size.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tileplan {

struct SweepPoint {
  std::int64_t bytes = 0;       ///< The working set has this many bytes.
  double seconds_per_byte = 0;  ///< Repeated passes take this time per byte.
};

/// Returns sizes from a quarter of `capacity` to three times `capacity`, in equal ratios.
std::vector<std::int64_t> sweep_sizes(std::int64_t capacity);

/// Returns the size at which the time per byte is half-way between its values for small and for
/// large sizes (plateaus), which are medians of three points. Returns nothing when the plateaus
/// differ by less than a fifth or the time crosses the middle more than once.
std::optional<double> halfway_bytes(const std::vector<SweepPoint>& points);

}  // namespace tileplan
