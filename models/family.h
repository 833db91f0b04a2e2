// SPDX-License-Identifier: Apache-2.0
// The microkernels that are worth measuring, and what their rates say. models/README.md eq. (K).
#pragma once

#include <vector>

#include "throughput.h"
#include "tileplan/machine.h"

namespace tileplan {

/// w h rows of k vectors.
RegisterTile tile_of(const KernelForm& form);

/// Every form within the upper bounds of "Autotuning Convolutions is Easier Than You Think" (4.1)
/// that fits the register file: with out = w h k, par = r s c k, at most out + par <= 36 times
/// registers / 32, w, h, k, c <= 16, r and s in {1, 3, 5, 7} and equal if both exceed 1. Sorted.
/// Example: 4883 forms on AVX-512.
std::vector<KernelForm> kernel_family(const VectorUnit& unit);

/// FMA-bound cycles of a step over the measured ones: 1 is peak.
double peak_share(const FormRate& rate, const VectorUnit& unit);

/// Fast kernels that differ in h only (TTile 5.1): what a combination may put side by side.
struct KernelClass {
  KernelForm form = {};  ///< with h = 1
  std::vector<int> heights = {};
};

/// The classes of the forms whose peak_share is at least `share` of the best, sorted. `family` must
/// be sorted.
std::vector<KernelClass> fast_classes(const std::vector<FormRate>& family, const VectorUnit& unit,
                                      double share = 0.85);

/// How far two calibrations say the same.
struct Agreement {
  int common = 0;  ///< kernels that both measured
  int close = 0;   ///< of them, those whose cycles per step differ by at most the tolerance
};

/// Of the forms of two sorted families. Difference: |a / b - 1| <= tolerance.
Agreement agreement(const std::vector<FormRate>& a, const std::vector<FormRate>& b,
                    double tolerance = 0.02);

}  // namespace tileplan
