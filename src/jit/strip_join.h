// SPDX-License-Identifier: Apache-2.0
// This file copies strips that join the columns of a filter.
#pragma once

#include "line_walk.h"
#include "loop_tree.h"

namespace tileplan {

/// Copies the lines in `range` of a copy whose strips join filter columns (taps). Writes zeros
/// where a tap lies in padding or a strip is incomplete.
void copy_joined_strips(const StripCopy& copy, const char* from, char* to, TaskRange range);

}  // namespace tileplan
