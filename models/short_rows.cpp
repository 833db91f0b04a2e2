// SPDX-License-Identifier: Apache-2.0
// One factor for rows of up to two lines.
#include "short_rows.h"

#include "footprint.h"

namespace tileplan {

namespace {

/// Walks of 8 MiB in the L3 and of 48 MiB in memory, every 2nd to 256th line at a time: 36 to 45
/// GB/s instead of 99, 7 to 10 instead of 36, Zen 4, 2026-11-22. Not measured elsewhere. Rows of
/// two lines are taken for single ones: 2 or 1 order 1100 measured schedules alike.
constexpr double kFromCache = 2.5, kFromMemory = 4, kLongRow = 2;
/// Rows that prefetchers follow at a time: the L2 streamer of Intel cores keeps 32 (Intel 64 and
/// IA-32 Architectures Optimization Reference Manual). Not measured elsewhere.
constexpr double kStreams = 32;

double row_lines(const TensorAccess& input, const TensorLayout& read, const FlatTraffic& traffic,
                 double line) {
  const double held = lines_in_a_row(input, read, traffic.cut, line);
  const double rows = lines(input, read, traffic.cut, line) / held;
  if (held >= 1 && rows > kStreams) return held;
  return lines_in_a_row(input, read, traffic.walked[Operand::input], line);
}

}  // namespace

Place place_of(const std::vector<CacheLevel>& caches, std::size_t at, std::int64_t element_bytes) {
  return {.line = static_cast<double>(caches[at].line_bytes) / static_cast<double>(element_bytes),
          .is_first = at == 0,
          .is_last = at + 1 == caches.size()};
}

double scattered(const TensorAccess& input, const TensorLayout& read, const FlatTraffic& traffic,
                 const Place& place) {
  if (place.is_first || row_lines(input, read, traffic, place.line) > kLongRow) return 1;
  return place.is_last ? kFromMemory : kFromCache;
}

}  // namespace tileplan
