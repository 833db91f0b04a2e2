// SPDX-License-Identifier: Apache-2.0
// These functions check the options of a plan.
#pragma once

#include "tileplan/machine.h"
#include "tileplan/options.h"

namespace tileplan {

/// These functions throw Error with the option, its value and the rule if an option is invalid.
/// check_options() also checks the epilogue and the regime, and that `machine` has a core for each
/// thread.
void check_options(const Options& options, const Machine& machine, const TensorTypes& types);
void check_epilogue(const Epilogue& epilogue, const TensorTypes& types);

/// Throws Error unless plans and kernels support tensors of `types`.
void check_planned(const TensorTypes& types);

/// Throws Error for an unknown kind of regime, and for a network of less than 1 or more than 2^40
/// bytes.
void check_regime(Regime regime);

}  // namespace tileplan
