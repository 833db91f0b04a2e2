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

/// The memory of the kernels: 1 MiB of inputs, 1 MiB of weights, then outputs.
constexpr std::int64_t kKernelBytes = 3 << 20;

/// Finds the least cycles of several calls: fast visits are believed as soon as two agree, and one
/// visit in four may be faster, because a disturbed probe makes a visit seem too fast.
class CycleFloor {
 public:
  static constexpr double kAgreement = 0.005;  ///< share by which two agreeing visits may differ

  /// Adds the cycles of one visit, and returns true when every call has two visits that agree.
  bool add(const std::vector<double>& cycles);
  /// Returns the means of the two visits of each call. Requires: add() returned true.
  std::vector<double> cycles() const;

 private:
  std::vector<std::vector<double>> visits_;  ///< of each call, fastest first
};

/// Fits cycles = cycles_per_call + steps * cycles_per_step through the two lengths of `cycles`.
FormRate form_rate(const KernelForm& form, const std::vector<double>& cycles);

/// The number of measurements by their outcome.
struct RoundCounts {
  int measured = 0;
  int repeated = 0;  ///< not settled by two rounds
  int missing = 0;   ///< never undisturbed
};

/// Calls `measure` for 0 .. count - 1, and again where it failed, until `time_left` is false.
RoundCounts measure_in_rounds(int count, const std::function<bool(int)>& measure,
                              const std::function<bool()>& time_left);

/// Returns all broadcast tiles that fit the registers of `unit`, by vectors, then by pixels.
std::vector<RegisterTile> register_tiles(const VectorUnit& unit);

/// Calls `measure(item)` until two visits agree, then `take(item, cycles)`; no result: disturbed.
template <class Item, class Measure, class Take>
RoundCounts measure_until_agreed(const std::vector<Item>& items, const Measure& measure,
                                 const Take& take, const std::function<bool()>& time_left) {
  std::vector<CycleFloor> floors(items.size());
  const auto visit = [&](int i) {
    const auto place = static_cast<std::size_t>(i);
    const std::optional<std::vector<double>> cycles = measure(items[place]);
    if (!cycles || !floors[place].add(*cycles)) return false;
    take(items[place], floors[place].cycles());
    return true;
  };
  return measure_in_rounds(static_cast<int>(items.size()), visit, time_left);
}

struct FormMeasuring {
  const VectorUnit& unit;
  GatedTimer& timer;
  int samples;                      ///< of each call per visit
  char* memory;                     ///< kKernelBytes
  std::function<bool()> time_left;  ///< when false, forms without two agreeing visits are left out
};

using TakeForm = std::function<void(const KernelForm&, const std::vector<double>& cycles)>;

/// Measures `forms`: the cycles of a long and a short call and, when `resumes`, of one that
/// continues a split reduction. Requires: the tiles fit the register file.
RoundCounts measure_forms(const std::vector<KernelForm>& forms, bool resumes,
                          const FormMeasuring& how, const TakeForm& take);

/// Measures `tiles` as rows of pixels in a loop of 8 steps, and gives each rate to `take`.
RoundCounts measure_tiles(const std::vector<RegisterTile>& tiles, const FormMeasuring& how,
                          const std::function<void(const KernelRate&)>& take);

/// Returns notes on omissions. Throws Error when less than a share `trusted` was undisturbed.
std::vector<std::string> trusted_notes(const RoundCounts& rounds, double trusted);

}  // namespace tileplan
