// SPDX-License-Identifier: Apache-2.0
// Schedules as a C++ header for Halide.
#pragma once

#include <string>
#include <vector>

#include "computation.h"

namespace tileplan {

/// A header with the algorithm (`product()`), one function per schedule in the order given, and a
/// list of them (`schedules()`). Inputs are padded by their owner. Halide has no names for layouts:
/// arguments are innermost first, channels before pixels.
/// Requires: no reason of why_no_splits.
std::string halide_header(const std::vector<Schedule>& schedules, const Computation& computation,
                          int lanes);

}  // namespace tileplan
