// SPDX-License-Identifier: Apache-2.0
// This file makes machines, computations and schedules for which tests compute predictions by hand.
#pragma once

#include <string>
#include <vector>

#include "random_computation.h"
#include "tileplan/machine.h"
#include "tileplan/schedule.h"

namespace tileplan {

inline constexpr double kHertz = 1e9;

inline CacheLevel cache(const std::string& name, std::int64_t capacity_bytes, int ways,
                        double rate) {
  CacheLevel level;
  level.name = name;
  level.capacity_bytes = capacity_bytes;
  level.ways = ways;
  level.fill_bytes_per_second = rate;
  level.write_bytes_per_second = rate / 2;
  return level;
}

/// Returns a machine with 16 lanes and default rates, on which starting a kernel takes no time. A
/// register tile of 14 pixels x 2 vectors takes 14 cycles per step and 62 per call.
inline Machine machine(const std::vector<CacheLevel>& caches) {
  Machine result;
  result.clock.hertz = kHertz;
  result.caches = caches;
  result.rates.overheads.start_cycles = 0;
  return result;
}

inline Computation pointwise(std::int64_t channels, std::int64_t pixels) {
  return toy::conv({.k = 32, .c = channels, .w = pixels});
}

inline Schedule schedule(const std::string& text) { return parse_schedule(text); }

}  // namespace tileplan
