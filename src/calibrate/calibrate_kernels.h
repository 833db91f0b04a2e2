// SPDX-License-Identifier: Apache-2.0
// Rates of microkernels: two lengths of each, linear fit.
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

/// Memory that the kernels work on: 1 MiB of inputs, 1 MiB of weights, then outputs.
constexpr std::int64_t kKernelBytes = 3 << 20;

/// The least cycles of several calls over several visits. Disturbances that the probes miss (a
/// neighbour in the first-level cache, for a millisecond) add cycles, so fast visits are believed
/// as soon as two agree. One that took the probes but not the kernel makes a visit too fast, by up
/// to 8 % (Zen 4): of each four visits one may be faster than the two that are believed.
class Floor {
 public:
  /// Two visits agree within this share.
  static constexpr double kAgreement = 0.005;

  /// Takes the cycles of one visit, as many each time; true when every call has two that agree.
  bool add(const std::vector<double>& cycles);
  /// Means of the two of each call. Requires: add() returned true.
  std::vector<double> cycles() const;

 private:
  std::vector<std::vector<double>> visits_;  ///< of each call, fastest first
};

/// Cycles per tile of one visit to `kernel`, which computes a row of tiles in one call as nests do:
/// all blocks, a quarter of them and, when `resumes`, the latter continuing a split reduction.
/// Nothing when it was disturbed. `memory`: kKernelBytes.
std::optional<std::vector<double>> visit(const FormKernel& kernel, bool resumes, GatedTimer& timer,
                                         int samples, char* memory);

/// cycles = cycles_per_call + steps * cycles_per_step through the lengths of `visit`, rounded to a
/// thousandth of a cycle.
FormRate form_rate(const KernelForm& form, const FormKernel& kernel,
                   const std::vector<double>& cycles);

/// A tile in its plain form: a row of pixels in a loop of 8 steps.
KernelForm plain_form(int pixels, int vectors);

/// The rate of a tile from a visit that resumes to its plain form.
KernelRate tile_rate(int pixels, int vectors, const FormKernel& kernel,
                     const std::vector<double>& cycles);

/// What became of a list of measurements.
struct Rounds {
  int measured = 0;
  int repeated = 0;  ///< of all, those that two rounds did not settle
  int missing = 0;   ///< never undisturbed
};

/// Calls `measure` for 0 .. count - 1, then again for those that returned false, round after round,
/// until none is left or `time_left` says no. Two rounds are the rule, more are repetitions.
Rounds measure_in_rounds(int count, const std::function<bool(int)>& measure,
                         const std::function<bool()>& time_left);

/// All broadcast tiles that fit the register file of `unit`, fewest vectors, then pixels first.
std::vector<RegisterTile> register_tiles(const VectorUnit& unit);

/// What measure_tiles() works with.
struct TileMeasuring {
  const VectorUnit& unit;
  GatedTimer& timer;
  int samples;                      ///< of each call per visit
  char* memory;                     ///< kKernelBytes
  std::function<bool()> time_left;  ///< no: tiles without two agreeing visits are left out
};

/// Visits `tiles` in rounds, and gives each rate to `take` as soon as two visits agree. Requires:
/// the tiles fit the register file.
Rounds measure_tiles(const std::vector<RegisterTile>& tiles, const TileMeasuring& how,
                     const std::function<void(const KernelRate&)>& take);

/// Notes of what `rounds` left out or repeated: a machine file says so. Throws Error when fewer
/// than `trusted` (0..1) of the measurements came out undisturbed: such a table must not be
/// written.
std::vector<std::string> trusted_notes(const Rounds& rounds, double trusted);

}  // namespace tileplan
