// SPDX-License-Identifier: Apache-2.0
// What a layer is and what its loops do, in words.
#pragma once

#include <string>

#include "layer_report.h"

namespace tileplan {

/// "convolution, batch 1: 3 x 224 x 224 -> 64 x 112 x 112, filter 7 x 7, stride 2 x 2, padding 3 x
/// 3": channels x rows x columns. Products and relations likewise.
std::string description(const Problem& problem);

/// The loops of the first schedule, one per line and indented, each with its steps in words; above
/// the loops whose data a cache keeps, the bytes of each tensor that it keeps.
std::string annotated_nest(const LayerReport& report);

}  // namespace tileplan
