// SPDX-License-Identifier: Apache-2.0
// These functions check the options of a plan.
#pragma once

#include "tileplan/machine.h"
#include "tileplan/options.h"

namespace tileplan {

/// These functions throw Error with the option, its value and the rule. Tensors are of `type`.
void check_options(const Options& options, const Machine& machine, ElementType type);
void check_epilogue(const Epilogue& epilogue, ElementType type);
void check_regime(Regime regime);

}  // namespace tileplan
