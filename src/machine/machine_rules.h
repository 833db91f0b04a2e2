// SPDX-License-Identifier: Apache-2.0
// This file checks the numbers of a machine that a file or a program provides.
#pragma once

#include <cstddef>

#include "tileplan/machine.h"

namespace tileplan {

/// Returns the name of the cache at `level`: "L1" for the innermost cache, which is level 1.
std::string cache_name(std::size_t level);

/// Throws Error "ORIGIN: FIELD is VALUE; must be RULE" for the first invalid field.
void check_machine(const Machine& machine, const std::string& origin);

}  // namespace tileplan
