// SPDX-License-Identifier: Apache-2.0
// Finds the effective capacity of a cache from the time per byte of working sets around its size.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tileplan {

struct SweepPoint {
  std::int64_t bytes = 0;       ///< The working set is so large.
  double seconds_per_byte = 0;  ///< Loading it again and again takes so long.
};

/// Returns working sets from a quarter of `capacity` to three times it, in equal ratios.
std::vector<std::int64_t> sweep_sizes(std::int64_t capacity);

/// Returns the bytes at which the time is half-way between the plateaus (medians of three points)
/// on both sides. Returns nothing when they differ by less than a fifth or the time rises twice.
std::optional<double> halfway_bytes(const std::vector<SweepPoint>& points);

}  // namespace tileplan
