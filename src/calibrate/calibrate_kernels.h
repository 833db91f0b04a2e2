// SPDX-License-Identifier: Apache-2.0
// This file measures the speed of microkernels by calls of three lengths (for AMX, of two). Its
// functions that repeat measurements until two results agree serve for transforms too.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gated_timer.h"
#include "throughput.h"
#include "tile_kernel.h"
#include "tileplan/machine.h"

namespace tileplan {

/// The memory of the kernels has this size: 1 MiB each for inputs, weights and outputs.
constexpr std::int64_t kKernelBytes = 3 << 20;

/// Finds reliable cycle counts of several calls. Each call is measured repeatedly, and its result
/// is the mean of the two fastest measurements that agree within 0.5 %. One measurement in four may
/// be faster than these two, because a disturbed probe of the clock makes a result seem too fast.
class CycleFloor {
 public:
  /// Adds one measurement of every call. Returns the mean cycles once two results of every call
  /// agree, and nothing before.
  std::optional<std::vector<double>> add(const std::vector<double>& cycles);

 private:
  std::vector<std::vector<double>> visits_;  ///< The measurements of each call are sorted.
};

/// Returns `cycles`, but at least 0, with three digits after the point.
double round_cycles(double cycles);

/// Fits cycles = cycles_per_call + steps * cycles_per_step to a call of most_steps() and a call of
/// few_steps(), whose cycles come first in `cycles`. The third value is that of a call of
/// few_steps() that continues a split reduction. An optional fourth value is that of a call of 2
/// steps, from which cycles_per_short_call follows. Where cycles_per_call would be negative, it is
/// 0, and the longest call gives the cycles per step; shorter calls then take less than the rate
/// says.
KernelRate rate_of(const RegisterTile& tile, const VectorUnit& unit,
                   const std::vector<double>& cycles);

/// Counts measurements by their outcome.
struct RoundCounts {
  int measured = 0;
  int repeated = 0;  ///< Counts measurements without a result after two rounds.
  int missing = 0;   ///< Counts measurements that had no result when the time was over.
};

/// Calls `measure` for each of 0 .. count - 1, and again for those where it returned false, until
/// `time_left` returns false.
RoundCounts measure_in_rounds(int count, const std::function<bool(int)>& measure,
                              const std::function<bool()>& time_left);

/// Returns all register tiles of at most kMaxPixels pixels that fit the registers of `unit`, sorted
/// by vectors, then by pixels.
std::vector<RegisterTile> register_tiles(const VectorUnit& unit);

/// Calls `measure(item)` for each item until two of its results agree, then `take(item, cycles)`.
/// Items without such results are left out when `time_left` returns false. `measure` returns
/// nothing when other programs disturbed the measurement.
template <class Item, class Measure, class Take>
RoundCounts measure_until_agreed(const std::vector<Item>& items, const Measure& measure,
                                 const Take& take, const std::function<bool()>& time_left) {
  std::vector<CycleFloor> floors(items.size());
  const auto visit = [&](int i) {
    const auto place = static_cast<std::size_t>(i);
    std::optional<std::vector<double>> cycles = measure(items[place]);
    if (cycles) cycles = floors[place].add(*cycles);
    if (cycles) take(items[place], *cycles);
    return cycles.has_value();
  };
  return measure_in_rounds(static_cast<int>(items.size()), visit, time_left);
}

struct TileMeasuring {
  const VectorUnit& unit;
  GatedTimer& timer;
  int samples;                      ///< Each result is a median of up to this many samples.
  char* memory;                     ///< The kernels use kKernelBytes of this memory.
  std::function<bool()> time_left;  ///< Measuring ends when this returns false.
};

/// Measures each of `tiles` and calls `take` with each rate. The reduction loop is unrolled 8 times
/// (for AMX, twice), and in the shortest call twice.
RoundCounts measure_tiles(const std::vector<RegisterTile>& tiles, const TileMeasuring& how,
                          const std::function<void(const KernelRate&)>& take);

/// Adds notes on missing measurements and, if there are many, on repeated ones. Throws Error if
/// less than the share `trusted` of all measurements have a result.
void note_omissions(const RoundCounts& rounds, double trusted, std::vector<std::string>& notes);

}  // namespace tileplan
