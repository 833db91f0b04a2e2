// SPDX-License-Identifier: Apache-2.0
// This file bounds the predictions of all schedules, whatever their tiles and orders of loops.
#pragma once

#include <vector>

#include "computation.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Holds lower bounds of the terms of eq. (T).
struct PredictionBound {
  double compute_seconds = 0;
  std::vector<double> level_seconds;  ///< innermost first
  /// The share of the loads in the bounds on movement that every schedule makes. It leaves out
  /// padding, and weights whose taps meet padding alone.
  double loaded_share = 1;

  /// Raises each level to `seconds`, less the padding, where that is more.
  void sharpen(const std::vector<double>& seconds);

  /// Returns the terms overlapped with exponent rho.
  double seconds(double exponent) const;
};

/// Returns bounds of the terms of `predict`. They hold for every schedule, uneven, ragged and
/// packed ones too, that vectorises one of `vectorised_dims`, has register tiles that fit the
/// registers (of the narrow unit too), streams outputs only where `crowds_caches` and runs on at
/// most `threads` cores. Compute is the fastest register tile with all reductions in one call. A
/// level has the reads of models/bounds.h and each output written once; outputs that may be
/// streamed are only written to memory. It has nothing where the arrays fit in their smallest
/// layout.
PredictionBound prediction_bound(const Computation& computation, const Machine& machine,
                                 int threads);

/// Returns the roofline: seconds below which no program comes, whatever the model says of kernels
/// and of overlap. It is the longest of the multiply-adds that read the array, at the peak of
/// `threads` cores, and of each level's least traffic over its bandwidth (as in
/// `prediction_bound`).
double roofline_seconds(const Computation& computation, const Machine& machine, int threads);

}  // namespace tileplan
