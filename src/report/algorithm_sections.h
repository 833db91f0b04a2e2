// SPDX-License-Identifier: Apache-2.0
// This file describes the stages of a Winograd convolution, and the algorithms that a plan
// compared.
#pragma once

#include <vector>

#include "document.h"
#include "tileplan/plan.h"

namespace tileplan {

/// Returns a section about the stages of the first candidate, if it has stages, and a section about
/// the algorithms, if the plan compared several.
std::vector<Section> algorithm_sections(const Plan& plan);

}  // namespace tileplan
