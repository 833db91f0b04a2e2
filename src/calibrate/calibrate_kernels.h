// SPDX-License-Identifier: Apache-2.0
// Measures the rates of microkernels by a linear fit of two lengths.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "form_kernel.h"
#include "gated_timer.h"
#include "throughput.h"
#include "tileplan/machine.h"

namespace tileplan {

/// The memory of the kernels holds 1 MiB of inputs, 1 MiB of weights and then outputs.
constexpr std::int64_t kKernelBytes = 3 << 20;

/// Finds the least cycles of several calls: fast visits are believed as soon as two agree, and one
/// visit in four may be faster, because a disturbed probe makes a visit seem too fast.
class CycleFloor {
 public:
  /// Adds the cycles of one visit. When every call has two visits that agree, returns their means.
  std::optional<std::vector<double>> add(const std::vector<double>& cycles);

 private:
  std::vector<std::vector<double>> visits_;  ///< The visits of each call are sorted.
};

/// Fits cycles = cycles_per_call + steps * cycles_per_step through the two lengths of `cycles`.
FormRate form_rate(const KernelForm& form, const std::vector<double>& cycles);

/// Counts measurements by their outcome.
struct RoundCounts {
  int measured = 0;
  int repeated = 0;  ///< Two rounds did not settle them.
  int missing = 0;   ///< They were never undisturbed.
};

/// Calls `measure` for 0 .. count - 1, and again where it failed, until `time_left` is false.
RoundCounts measure_in_rounds(int count, const std::function<bool(int)>& measure,
                              const std::function<bool()>& time_left);

/// Returns all broadcast tiles that fit the registers of `unit`, by vectors, then by pixels.
std::vector<RegisterTile> register_tiles(const VectorUnit& unit);

/// Calls `measure(item)`, which returns nothing when disturbed, until two visits agree. Then calls
/// `take(item, cycles)`.
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

struct FormMeasuring {
  const VectorUnit& unit;
  GatedTimer& timer;
  int samples;                      ///< A visit takes so many of each call.
  char* memory;                     ///< It has kKernelBytes.
  std::function<bool()> time_left;  ///< Forms without two agreeing visits are left out at its end.
};

using TakeForm = std::function<void(const KernelForm&, const std::vector<double>& cycles)>;

/// Measures the cycles of a long and a short call of each form and, when `resumes`, of one that
/// continues a split reduction. Requires that the tiles fit the register file.
RoundCounts measure_forms(const std::vector<KernelForm>& forms, bool resumes,
                          const FormMeasuring& how, const TakeForm& take);

/// Measures `tiles` as rows of pixels in a loop of 8 steps, and gives each rate to `take`.
RoundCounts measure_tiles(const std::vector<RegisterTile>& tiles, const FormMeasuring& how,
                          const std::function<void(const KernelRate&)>& take);

/// Adds `notes` on omissions. Throws Error when less than a share `trusted` was undisturbed.
void note_omissions(const RoundCounts& rounds, double trusted, std::vector<std::string>& notes);

}  // namespace tileplan
