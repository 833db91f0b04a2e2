// SPDX-License-Identifier: Apache-2.0
// This file predicts the cycles that a nest spends in its microkernels.
#pragma once

#include "compute.h"

namespace tileplan {

/// Returns the cycles that one core needs to start and continue microkernel calls and to execute
/// their steps. BranchCompute::run_cycles and dispatch_cycles are not counted.
inline double call_cycles(const Computation& computation, const Nest& nest,
                          const Machine& machine) {
  double cycles = 0;
  const TensorLayout input = layout_of(computation, Operand::input, Layout::plain);
  for (const BranchCompute& branch : compute_of(computation, nest, input, machine))
    cycles += branch.call_cycles;
  return cycles;
}

}  // namespace tileplan
