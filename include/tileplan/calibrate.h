// SPDX-License-Identifier: Apache-2.0
// calibrate() measures this machine for the model.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tileplan/machine.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

struct CalibrateOptions {
  /// Measures the whole family of microkernels and the effective capacities too.
  bool full = false;
  int samples = 5;            ///< per microkernel and visit; two visits must agree
  double budget_seconds = 2;  ///< for repeating disturbed microkernels; links take 1 to 3 more
  /// Called with the share that is done, from 0 to 1. An empty function is not called.
  std::function<void(double share)> progress = nullptr;
};

/// Returns `detected` with measured clock, rates of microkernels, peak and bandwidths. Throws Error
/// when this CPU lacks the instruction set, or when the machine was too disturbed to trust the
/// results.
Machine calibrate(Machine detected, const CalibrateOptions& options = {});

/// Returns lines about the peak, the microkernels, the caches and the notes of a calibrated
/// `machine`. With `previous`, they say how many microkernels agree with that calibration.
std::string calibration_text(const Machine& machine, const std::optional<Machine>& previous = {});

}  // namespace tileplan
