// SPDX-License-Identifier: Apache-2.0
// The study `microkernels`: which share of peak each register tile reaches.
#pragma once

#include <string>
#include <vector>

#include "study.h"
#include "study_table.h"
#include "throughput.h"

namespace tileplan {

/// Returns the share of the multiply-adds of `unit` that `rate` reaches in a call of `steps`
/// reduction steps. Example: 14 x 2 on two units, 14 cycles per step and 32 per call: 512 * 14 /
/// (512 * 14 + 32) = 0.9956.
double share_of_peak(const KernelRate& rate, const VectorUnit& unit, int steps);

/// Draws the rows of the study as a heat map: pixels to the right, vectors upwards, unknown tiles
/// left out. Requires: rows not empty.
std::string microkernels_svg(const std::vector<StudyRow>& rows, const std::string& title);

}  // namespace tileplan
