// SPDX-License-Identifier: Apache-2.0
// This file finds the usable capacity of a cache from the time per byte of working sets around its
// size.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "tileplan/machine.h"

namespace tileplan {

struct SweepPoint {
  std::int64_t bytes = 0;       ///< The working set has this many bytes.
  double seconds_per_byte = 0;  ///< Repeated passes take this time per byte.
};

/// Returns sizes from `first` bytes to three times `capacity`, in equal ratios, each rounded to a
/// multiple of 4 KiB.
std::vector<std::int64_t> sweep_sizes(std::int64_t first, std::int64_t capacity);

/// Returns the first size of a sweep: a quarter of the cache. Other programs can leave less of a
/// shared cache, so its sweep starts at four times `inner`, the cache inside it, if that is less.
/// For the innermost cache, `inner` is null.
std::int64_t first_sweep_bytes(const CacheLevel* inner, const CacheLevel& cache);

/// Returns the seconds that `read(at, bytes)` takes for all of `bytes`, in pieces of `piece` bytes.
/// Pauses make the whole call take `parts` times as long, and are not counted.
double paced_seconds(std::int64_t bytes, std::int64_t piece, double parts,
                     const std::function<double()>& clock,
                     const std::function<void(std::int64_t at, std::int64_t bytes)>& read);

/// Returns the size at which the time per byte is half-way between its values for small and for
/// large sizes (plateaus), which are medians of three points. Returns nothing when there are fewer
/// than six points, when the plateau of large sizes is less than 1.2 times that of small sizes, or
/// when the time does not cross the middle exactly once.
std::optional<double> halfway_bytes(const std::vector<SweepPoint>& points);

}  // namespace tileplan
