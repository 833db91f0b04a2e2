// SPDX-License-Identifier: Apache-2.0
// calibrate() measures the rates of this machine that the cost model needs.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tileplan/machine.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Gives the version of the way in which calibrate() measures, which grows when this way changes.
/// Provenance::protocol of a calibrated machine holds the version.
inline constexpr int kProtocol = 5;

struct CalibrateOptions {
  /// If true, calibration also measures CacheLevel::usable, and measures the bandwidths twice and
  /// keeps the higher ones.
  bool full = false;
  /// Sets the number of samples per median. Each microkernel is timed until two medians agree or
  /// the time is over. Requires at least 1.
  int samples = 5;
  /// Limits the time for microkernels, in seconds, which must be positive and finite. Measuring the
  /// transforms of Winograd tiles and the links between caches takes 2 to 5 seconds more.
  double budget_seconds = 2;
  /// Receives the share of the work that is done, from 0 to 1, unless the function is empty.
  std::function<void(double share)> progress = nullptr;
};

/// Returns `detected` with measured properties, such as the clock, the number of FMA units, the
/// bandwidths, and the rates of microkernels and Winograd transforms. The narrow unit is removed if
/// its peak is below that of the wide vectors. Throws Error for options out of range, when this CPU
/// lacks the instruction set, or when too few microkernels were measured undisturbed in time.
Machine calibrate(Machine detected, const CalibrateOptions& options = {});

/// Returns lines about the peak, the microkernels, the caches, the memory and the notes of a
/// calibrated `machine`. With `previous`, an earlier calibration, a line gives the share of the
/// common register tiles whose cycles per step differ by at most 2 %. The line is left out if no
/// tile is common.
std::string calibration_text(const Machine& machine, const std::optional<Machine>& previous = {});

}  // namespace tileplan
