// SPDX-License-Identifier: Apache-2.0
// The microkernels that are worth measuring, and what their rates say. models/README.md eq. (K).
#pragma once

#include <vector>

#include "throughput.h"
#include "tileplan/machine.h"

namespace tileplan {

/// w h rows of k vectors.
RegisterTile tile_of(const KernelForm& form);

/// The constraint set of "Autotuning Convolutions is Easier Than You Think" (4.1), literally, with
/// out = w h k, par = r s c k: 16 <= out + par <= 36, 14 <= out <= 28, w, h, k, c <= 16, r and s in
/// {1, 3, 5, 7} and equal if both exceed 1; the bounds on sums times registers / 32. Some members
/// do not fit the register file. Sorted. Example: 2043 forms for 32 registers.
std::vector<KernelForm> constraint_set(const VectorUnit& unit);

/// The members of the constraint set that fit the register file, and every other form within its
/// upper bounds that does. Sorted. Example: 4883 forms on AVX-512.
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
