// SPDX-License-Identifier: Apache-2.0
// The family is the list of the microkernels that calibration measures: models/README.md eq. (K).
#pragma once

#include <vector>

#include "throughput.h"

namespace tileplan {

/// Returns the register tile of `form`, which is w h pixels x k vectors.
RegisterTile tile_of(const KernelForm& form);

/// Returns the sorted list of all kernels that fit the register file and satisfy the limits of
/// "Autotuning Convolutions is Easier Than You Think" (4.1). With out = w h k and par = r s c k,
/// the limits are out + par <= 36 times registers / 32; w, h, k, c <= 16; and r and s in {1, 3, 5,
/// 7}, equal if both exceed 1. Example: AVX-512 has 4883 such kernels.
std::vector<KernelForm> kernel_family(const VectorUnit& unit);

/// Returns the FMA-bound cycles of a step divided by the measured cycles. The result is 1 at peak.
double peak_share(const FormRate& rate, const VectorUnit& unit);

/// Holds fast kernels that differ in h only (TTile 5.1), so one loop nest may combine them.
struct KernelClass {
  KernelForm form = {};  ///< The field h is 1 here.
  std::vector<int> heights = {};
};

/// Returns the classes of the kernels in a sorted `family` whose rate is at least `share` of the
/// best.
std::vector<KernelClass> fast_classes(const std::vector<FormRate>& family, const VectorUnit& unit,
                                      double share = 0.85);

/// Counts the kernels on which two calibrations agree.
struct Agreement {
  int common = 0;  ///< Both calibrations measured these kernels.
  int close = 0;   ///< The cycles per step of these kernels are close.
};

/// Compares two sorted families. Cycles per step are close when |a / b - 1| <= tolerance.
Agreement agreement(const std::vector<FormRate>& a, const std::vector<FormRate>& b,
                    double tolerance = 0.02);

}  // namespace tileplan
