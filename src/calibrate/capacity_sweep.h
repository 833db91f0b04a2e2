// SPDX-License-Identifier: Apache-2.0
// Finds the effective capacity of a cache from the time per byte of working sets around its size.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tileplan {

struct SweepPoint {
  std::int64_t bytes = 0;       ///< of the working set
  double seconds_per_byte = 0;  ///< of walking it again and again
};

/// Returns working sets from a quarter of `capacity` to three times it, in equal ratios.
std::vector<std::int64_t> sweep_sizes(std::int64_t capacity);

/// Returns the bytes at which the time per byte is half-way between the plateaus on both sides, the
/// medians of the first and the last three points. Returns nothing when noise would decide: the
/// plateaus differ by less than a fifth, or the time crosses half-way more than once.
std::optional<double> halfway_bytes(const std::vector<SweepPoint>& points);

}  // namespace tileplan
