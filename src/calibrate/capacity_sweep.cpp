// SPDX-License-Identifier: Apache-2.0
// This file finds the working set whose time per byte is half-way between those of small and large
// sets.
#include "capacity_sweep.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "statistics.h"

namespace tileplan {
namespace {

/// The time of a plateau is the median time per byte of this many points.
constexpr std::size_t kPlateau = 3;

double plateau(std::span<const SweepPoint> points) {
  std::vector<double> values;
  for (const SweepPoint& point : points) values.push_back(point.seconds_per_byte);
  return median(values);
}

}  // namespace

std::vector<std::int64_t> sweep_sizes(std::int64_t first, std::int64_t capacity) {
  // Each size is 2^(1/4) times the previous one.
  constexpr double kLast = 3, kRatio = 1.189207115002721;
  constexpr std::int64_t kPage = 4096;
  std::vector<std::int64_t> sizes;
  const double last = kLast * static_cast<double>(capacity);
  for (auto bytes = static_cast<double>(first); bytes <= last; bytes *= kRatio)
    sizes.push_back(kPage * std::max(1LL, std::llround(bytes / kPage)));
  return sizes;
}

std::int64_t first_sweep_bytes(const CacheLevel* inner, const CacheLevel& cache) {
  constexpr std::int64_t kQuarter = 4, kInner = 4;
  const std::int64_t usual = cache.capacity_bytes / kQuarter;
  if (inner == nullptr || cache.shared_by_cores == 1) return usual;
  return std::min(usual, kInner * inner->capacity_bytes);
}

double paced_seconds(std::int64_t bytes, std::int64_t piece, double parts,
                     const std::function<double()>& clock,
                     const std::function<void(std::int64_t at, std::int64_t bytes)>& read) {
  double reading = 0;
  for (std::int64_t at = 0; at < bytes; at += piece) {
    const double start = clock();
    read(at, std::min(piece, bytes - at));
    const double end = clock(), took = end - start;
    reading += took;
    while (clock() < end + (parts - 1) * took) {
    }
  }
  return reading;
}

std::optional<double> halfway_bytes(const std::vector<SweepPoint>& points) {
  constexpr double kLeastStep = 1.2;
  if (points.size() < 2 * kPlateau) return std::nullopt;
  const double low = plateau(std::span(points).first(kPlateau));
  const double high = plateau(std::span(points).last(kPlateau));
  if (high < kLeastStep * low) return std::nullopt;
  const double middle = (low + high) / 2;
  const auto is_above = [&](const SweepPoint& point) { return point.seconds_per_byte >= middle; };
  const auto above = std::ranges::find_if(points, is_above);
  if (above == points.begin() || !std::all_of(above, points.end(), is_above)) return std::nullopt;
  const auto below = std::prev(above);
  const double part =
      (middle - below->seconds_per_byte) / (above->seconds_per_byte - below->seconds_per_byte);
  return static_cast<double>(below->bytes) +
         part * static_cast<double>(above->bytes - below->bytes);
}

}  // namespace tileplan
