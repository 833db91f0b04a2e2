// SPDX-License-Identifier: Apache-2.0
// What must hold for the options of a plan.
#pragma once

#include "tileplan/plan.h"

namespace tileplan {

/// Throw Error, naming the option, the value and the rule.
void check_options(const Options& options, const Machine& machine);
void check_epilogue(const Epilogue& epilogue);
void check_regime(Regime regime);

}  // namespace tileplan
