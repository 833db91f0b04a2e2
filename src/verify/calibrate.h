// SPDX-License-Identifier: Apache-2.0
// Measures this host for the model: peak, microkernel rates, bandwidth of every link. model.md 8.4.
#pragma once

#include "tileplan/machine.h"

namespace tileplan {

struct CalibrateOptions {
  /// Samples of each microkernel length; the median of the undisturbed ones counts.
  int samples = 7;
  /// Seconds after which disturbed samples are no longer repeated.
  double budget_seconds = 3;
};

/// `detected` with measured clock, FMA units, kernel rates and bandwidths. Throws Error when this
/// CPU lacks the ISA, or when the machine was too disturbed to trust the table.
Machine calibrate(Machine detected, const CalibrateOptions& options = {});

}  // namespace tileplan
