// SPDX-License-Identifier: Apache-2.0
// These rules hold for the numbers of a machine, from a file or made by hand.
#pragma once

#include <cstddef>

#include "tileplan/machine.h"

namespace tileplan {

/// Returns the name of the cache at `level`, such as "L1" for level 1, the innermost.
std::string cache_name(std::size_t level);

/// Throws Error "ORIGIN: FIELD is VALUE; must be RULE" for the first unusable field.
void check_machine(const Machine& machine, const std::string& origin);

}  // namespace tileplan
