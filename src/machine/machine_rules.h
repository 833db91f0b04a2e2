// SPDX-License-Identifier: Apache-2.0
// What must hold for the numbers of a machine, whether read from a file or put together by hand.
#pragma once

#include <cstddef>
#include <string>

#include "tileplan/machine.h"

namespace tileplan {

/// Of the cache at `level`, the innermost being 1: "L1".
std::string cache_name(std::size_t level);

/// Throws Error "ORIGIN: FIELD is VALUE; must be RULE" for the first field that the models cannot
/// work with. Fields are named as in machine files.
void check_machine(const Machine& machine, const std::string& origin);

}  // namespace tileplan
