// SPDX-License-Identifier: Apache-2.0
// Writes schedules as a C++ header for Halide.
#pragma once

#include <string>
#include <vector>

#include "computation.h"

namespace tileplan {

/// Returns a header with the algorithm (`product()`), one function per schedule in the order given,
/// and a list of them (`schedules()`). The owner of the inputs pads them. Halide has no names for
/// layouts, so arguments are innermost first, channels before pixels. Requires that why_no_splits
/// gives no reason.
std::string halide_header(const std::vector<Schedule>& schedules, const Computation& computation,
                          int lanes);

}  // namespace tileplan
