// SPDX-License-Identifier: Apache-2.0
// The effective capacity of a cache from the time per byte of working sets around its size.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tileplan {

struct SweepPoint {
  std::int64_t bytes = 0;       ///< of the working set
  double seconds_per_byte = 0;  ///< of walking it again and again
};

/// Working sets from a quarter of `capacity` to three times it, equal ratios, smallest first.
std::vector<std::int64_t> sweep_sizes(std::int64_t capacity);

/// Bytes at which the time per byte is half-way between the plateaus on both sides;
/// the plateaus are the medians of the first and the last three points. Nothing when the
/// plateaus differ by less than a fifth or the time crosses half-way more than once: then noise
/// would decide. Requires: sizes ascending.
std::optional<double> halfway_bytes(const std::vector<SweepPoint>& points);

}  // namespace tileplan
