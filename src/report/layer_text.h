// SPDX-License-Identifier: Apache-2.0
// Describes layers and loops in words.
#pragma once

#include <string>

#include "layer_report.h"

namespace tileplan {

/// Returns a text like "convolution, batch 1: 3 x 224 x 224 -> 64 x 112 x 112, filter 7 x 7, stride
/// 2 x 2, padding 3 x 3", where sizes are channels x rows x columns.
std::string description(const Problem& problem);

/// Returns the loops of the first schedule, one per indented line, with their steps in words. Above
/// the loops whose data a cache keeps stand the bytes of each tensor in that cache.
std::string annotated_nest(const LayerReport& report);

}  // namespace tileplan
