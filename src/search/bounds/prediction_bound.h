// SPDX-License-Identifier: Apache-2.0
// This file bounds the predictions of all direct schedules, whatever their tiles and orders of
// loops, and computes the roofline.
#pragma once

#include <vector>

#include "computation.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Holds lower bounds of the terms of eq. (T) in models/README.md.
struct PredictionBound {
  double compute_seconds = 0;
  /// Lists the seconds of each level with ordinary stores, innermost level first.
  std::vector<double> level_seconds;
  /// Lists the seconds of each level with non-temporal stores, innermost level first.
  std::vector<double> streamed_seconds;
  /// Gives the share of the loads in the bound that every schedule makes. The rest may be loads of
  /// padding, or of weights whose taps only read padding.
  double loaded_share = 1;
  /// Predictions take the mean over one or several capacities of a level (occupancies() of
  /// models/cost.h). This list holds, for each level, the share of these capacities that are too
  /// small for all tensors together. The least traffic is convex in the capacity, so its mean over
  /// these smaller capacities is at least the traffic for the usable capacity.
  std::vector<double> busy_shares = {};
  /// Holds, for each level, the seconds by which finished outputs move faster than sums if kernels
  /// convert them in registers.
  std::vector<double> saved_seconds = {};

  /// Raises the bound of each level l to busy_shares[l] * (loaded_share * seconds[l] -
  /// saved_seconds[l]) if this is larger. `seconds` are lower bounds for outputs that are stored as
  /// sums. The bounds for non-temporal stores do not change.
  void sharpen(const std::vector<double>& seconds);

  /// Returns a lower bound on the seconds of any schedule. The terms overlap with exponent rho by
  /// eq. (T), and the result is the lesser one of ordinary and of non-temporal stores.
  double seconds(double exponent) const;
};

/// Returns bounds of the terms of `predict`. They hold for every schedule that vectorises one of
/// `vectorised_dims`, has register tiles that fit the registers of the wide or of the narrow unit,
/// and runs on at most `threads` cores. Tiles may be uneven, ragged or packed. The compute time is
/// that of the fastest register tile with all reductions in one call. Each level reads at least
/// `loaded_share` of the elements that models/bounds.h counts, and writes each output once. A level
/// that holds all tensors costs nothing. With non-temporal stores, outputs are not read for
/// ownership, and always cross the link to memory and only that link.
PredictionBound prediction_bound(const Computation& computation, const Machine& machine,
                                 int threads);

/// Returns the roofline in seconds, a time that no direct kernel can beat at the rates of
/// `machine`. The result is the longer of two times: the time of the multiply-adds that kernels
/// cannot skip as padding at the peak of `threads` cores, and the longest transfer of any level's
/// least traffic (as in `prediction_bound`) at its bandwidth, with ordinary or with non-temporal
/// stores, whichever takes less.
double roofline_seconds(const Computation& computation, const Machine& machine, int threads);

}  // namespace tileplan
