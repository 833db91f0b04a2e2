// SPDX-License-Identifier: Apache-2.0
// This file bounds the predictions of all schedules, whatever their tiles and orders of loops.
#pragma once

#include <vector>

#include "computation.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Holds lower bounds of the terms of eq. (T) in models/README.md.
struct PredictionBound {
  double compute_seconds = 0;
  std::vector<double> level_seconds;  ///< The innermost level comes first.
  /// Every schedule makes this share of the loads that are bounded. The others are loads of
  /// padding, and of weights whose taps only meet padding.
  double loaded_share = 1;

  /// Raises the bound of each level to `seconds` times `loaded_share` where this is larger.
  void sharpen(const std::vector<double>& seconds);

  /// Returns the terms, overlapped with exponent rho by eq. (T).
  double seconds(double exponent) const;
};

/// Returns bounds of the terms of `predict`. They hold for every schedule that vectorises one of
/// `vectorised_dims`, has register tiles that fit the registers (of the narrow unit too), streams
/// outputs only where `crowds_caches` is true, and runs on at most `threads` cores. Tiles may be
/// uneven, ragged or packed. The compute time is that of the fastest register tile with all
/// reductions in one call. A level makes at least the reads of models/bounds.h and writes each
/// output once. Outputs that may be streamed are only written to memory. A level that holds all
/// tensors costs nothing.
PredictionBound prediction_bound(const Computation& computation, const Machine& machine,
                                 int threads);

/// Returns the roofline in seconds, which no program can beat, whatever the model assumes of
/// kernels and of overlap. The result is the larger of two times: that of the multiply-adds that
/// read no padding, at the peak of `threads` cores, and the longest transfer of any level's least
/// traffic (as in `prediction_bound`) at its bandwidth.
double roofline_seconds(const Computation& computation, const Machine& machine, int threads);

}  // namespace tileplan
