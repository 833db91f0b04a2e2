// SPDX-License-Identifier: Apache-2.0
// Finds the plateaus of a sweep and the crossing between them.
#include "capacity_sweep.h"

#include <algorithm>
#include <cmath>

#include "statistics.h"

namespace tileplan {
namespace {

constexpr std::size_t kPlateau = 3;  ///< points

double plateau(const std::vector<SweepPoint>& points, std::size_t first) {
  std::vector<double> values;
  for (std::size_t i = first; i < first + kPlateau; ++i)
    values.push_back(points[i].seconds_per_byte);
  return median(values);
}

}  // namespace

std::vector<std::int64_t> sweep_sizes(std::int64_t capacity) {
  constexpr double kFirst = 0.25, kLast = 3, kRatio = 1.189207115002721;  // fourth root of 2
  constexpr std::int64_t kLines = 4096;  // bytes; sizes are multiples
  std::vector<std::int64_t> sizes;
  for (double share = kFirst; share <= kLast; share *= kRatio)
    sizes.push_back(
        std::max<std::int64_t>(1, std::llround(share * static_cast<double>(capacity) / kLines)) *
        kLines);
  return sizes;
}

std::optional<double> halfway_bytes(const std::vector<SweepPoint>& points) {
  constexpr double kLeastStep = 1.2;
  if (points.size() < 2 * kPlateau) return std::nullopt;
  const double low = plateau(points, 0), high = plateau(points, points.size() - kPlateau);
  if (high < kLeastStep * low) return std::nullopt;
  const double middle = (low + high) / 2;
  const auto is_above = [&](const SweepPoint& point) { return point.seconds_per_byte >= middle; };
  const auto above = std::find_if(points.begin(), points.end(), is_above);
  if (above == points.begin() || !std::all_of(above, points.end(), is_above)) return std::nullopt;
  const auto below = std::prev(above);
  const double part =
      (middle - below->seconds_per_byte) / (above->seconds_per_byte - below->seconds_per_byte);
  return static_cast<double>(below->bytes) +
         part * static_cast<double>(above->bytes - below->bytes);
}

}  // namespace tileplan
