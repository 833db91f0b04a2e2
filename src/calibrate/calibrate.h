// SPDX-License-Identifier: Apache-2.0
// Measures this host for the model: peak, microkernel rates, caches and their links.
#pragma once

#include "tileplan/machine.h"

namespace tileplan {

struct CalibrateOptions {
  /// Also measures the whole kernel family and the effective capacities.
  bool full = false;
  /// A visit takes the median of so many samples of a microkernel. Two visits must agree.
  int samples = 5;
  /// Disturbed microkernels are repeated for so long. Links take 3 s more when `full`, else 1 s.
  double budget_seconds = 2;
};

/// Returns `detected` with measured clock, FMA units, kernel rates and bandwidths. Throws Error
/// when this CPU lacks the ISA, or when the machine was too disturbed to trust the table.
Machine calibrate(Machine detected, const CalibrateOptions& options = {});

}  // namespace tileplan
