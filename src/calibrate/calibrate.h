// SPDX-License-Identifier: Apache-2.0
// Measures this host for the model: peak, microkernel rates, caches and their links.
#pragma once

#include "tileplan/machine.h"

namespace tileplan {

struct CalibrateOptions {
  /// Measure the whole kernel family and the effective capacities too, not only the register tiles
  /// that the model needs.
  bool full = false;
  /// Samples of each microkernel per visit, whose median counts; two visits must agree.
  int samples = 5;
  /// Seconds after which disturbed microkernels are no longer repeated. Caches and links take about
  /// 3 seconds more when `full`, 1 otherwise.
  double budget_seconds = 2;
};

/// `detected` with measured clock, FMA units, kernel rates and bandwidths. Throws Error when this
/// CPU lacks the ISA, or when the machine was too disturbed to trust the table.
Machine calibrate(Machine detected, const CalibrateOptions& options = {});

}  // namespace tileplan
