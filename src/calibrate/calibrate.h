// SPDX-License-Identifier: Apache-2.0
// Measures the model's parameters on this host: peak, microkernel rates, caches and bandwidths.
#pragma once

#include "tileplan/machine.h"

namespace tileplan {

struct CalibrateOptions {
  /// Also measures the whole kernel family and the effective capacities.
  bool full = false;
  /// The cycles of a microkernel are the median of this many samples. Two such medians must agree.
  int samples = 5;
  /// Measurements that other programs disturbed are repeated until this time is over. Measuring
  /// bandwidths takes 3 s more when `full`, else 1 s.
  double budget_seconds = 2;
};

/// Returns `detected` with measured clock, FMA units, kernel rates and bandwidths. Throws Error
/// when this CPU lacks the ISA, or when other programs disturbed too many measurements.
Machine calibrate(Machine detected, const CalibrateOptions& options = {});

}  // namespace tileplan
