// SPDX-License-Identifier: Apache-2.0
// What no schedule is predicted to beat, whatever its tiles and its order of loops.
#pragma once

#include <vector>

#include "computation.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Terms of eq. (T) from below.
struct PredictionBound {
  double compute_seconds = 0;
  std::vector<double> level_seconds;  ///< innermost first
  /// Of the loads that the bounds on movement count, the share that any schedule makes: padding is
  /// not loaded, nor weights whose taps meet padding alone.
  double loaded_share = 1;

  /// Raises each level to `seconds`, less the padding, where that is more.
  void sharpen(const std::vector<double>& seconds);

  /// The terms overlapped with exponent rho.
  double seconds(double exponent) const;
};

/// Bounds of the terms of `predict` for every schedule that vectorises one of `vectorised_dims`,
/// takes its register tiles from those that fit the registers (of the narrow unit too), streams
/// outputs only where `crowds_caches` and runs on at most `threads` cores: uneven, ragged and
/// packed ones too. Compute: the fastest register tile with all reductions in one call. Levels: the
/// reads of models/bounds.h and each output written once, of outputs that may be streamed the write
/// to memory alone; nothing where the arrays in their smallest layout fit.
PredictionBound prediction_bound(const Computation& computation, const Machine& machine,
                                 int threads);

/// The roofline: seconds that no program takes less, whatever the model says of kernels and of
/// overlap. The longest of the multiply-adds that read the array, at the peak of `threads` cores,
/// and each level's least traffic over its bandwidth (as in `prediction_bound`).
double roofline_seconds(const Computation& computation, const Machine& machine, int threads);

}  // namespace tileplan
