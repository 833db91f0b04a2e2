// SPDX-License-Identifier: Apache-2.0
// What must hold for the options of a plan.
#pragma once

#include "tileplan/plan.h"

namespace tileplan {

/// Throws Error, naming the option, the value and the rule.
void check_options(const Options& options, const Machine& machine);

}  // namespace tileplan
