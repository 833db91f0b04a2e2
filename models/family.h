// SPDX-License-Identifier: Apache-2.0
// The family lists the microkernels worth measuring: models/README.md eq. (K).
#pragma once

#include <vector>

#include "throughput.h"

namespace tileplan {

/// Returns the register tile of a form: w h pixels x k vectors.
RegisterTile tile_of(const KernelForm& form);

/// Returns every form within the upper bounds of "Autotuning Convolutions is Easier Than You Think"
/// (4.1) that fits the register file, sorted. With out = w h k and par = r s c k, the bounds are
/// out + par <= 36 times registers / 32, w, h, k, c <= 16, and r and s in {1, 3, 5, 7}, equal if
/// both exceed 1. Example: 4883 forms on AVX-512.
std::vector<KernelForm> kernel_family(const VectorUnit& unit);

/// Returns the FMA-bound cycles of a step divided by the measured ones: 1 is peak.
double peak_share(const FormRate& rate, const VectorUnit& unit);

/// Holds fast kernels that differ in h only (TTile 5.1). One loop may combine them.
struct KernelClass {
  KernelForm form = {};  ///< Its h is 1.
  std::vector<int> heights = {};
};

/// Returns the classes of the forms of a sorted family with at least `share` of the best rate.
std::vector<KernelClass> fast_classes(const std::vector<FormRate>& family, const VectorUnit& unit,
                                      double share = 0.85);

/// Counts how far two calibrations agree.
struct Agreement {
  int common = 0;  ///< It counts the kernels that both measured.
  int close = 0;   ///< It counts those whose cycles per step differ by at most the tolerance.
};

/// Compares the forms of two sorted families. Rates are close when |a / b - 1| <= tolerance.
Agreement agreement(const std::vector<FormRate>& a, const std::vector<FormRate>& b,
                    double tolerance = 0.02);

}  // namespace tileplan
