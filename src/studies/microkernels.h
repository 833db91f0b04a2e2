// SPDX-License-Identifier: Apache-2.0
// The study `microkernels` measures the share of peak that each register tile reaches.
#pragma once

#include "study.h"
#include "throughput.h"

namespace tileplan {

/// Returns the share of the peak of `unit` that `rate` reaches in a call of `steps` steps.
double share_of_peak(const KernelRate& rate, const VectorUnit& unit, int steps);

/// Draws a heat map with pixels along x and vectors along y. Requires that `rows` is not empty.
std::string microkernels_svg(const std::vector<StudyRow>& rows, const std::string& title);

}  // namespace tileplan
