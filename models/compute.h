// SPDX-License-Identifier: Apache-2.0
// These functions count the cycles of microkernel calls: models/README.md eq. (S).
#pragma once

#include <vector>

#include "branches.h"

namespace tileplan {

/// Holds the cost of the microkernel calls of one branch (branches.h), if one core executes them
/// all.
struct BranchCompute {
  RegisterTile tile;
  Calls calls;
  /// Gives the cycles of a call as a linear function of its steps. The function holds for calls of
  /// as many steps as those of `calls` have outside padding (CallCycles::at).
  CallCycles cycles_of_call;
  /// Gives the cycles of starting and continuing calls and of the steps outside padding, eq. (S).
  double call_cycles = 0;
  /// Gives the cycles of changes between runs, which are steps at a constant stride (reduction.h).
  double run_cycles = 0;
  double dispatch_cycles = 0;  ///< Gives the cycles for calling assembled code (dispatch.h).

  double cycles() const { return call_cycles + run_cycles + dispatch_cycles; }
};

/// Returns the cost of each branch of `nest` in the order of branches_of. The loops read the input
/// in the layout `input`. Vectors with padded channels count as whole vectors. Example: 2 calls of
/// 576 steps, at 14 cycles per step and 62 per call, have 2 * (62 + 576 * 14) call_cycles.
std::vector<BranchCompute> compute_of(const Computation& computation, const Nest& nest,
                                      const TensorLayout& input, const Machine& machine);

/// Returns the cycles of all branches, if one core executes them all.
double cycles_of(const std::vector<BranchCompute>& compute);

/// Returns the number of reduction steps of a call, as the mean over the calls of all branches.
double mean_steps(const std::vector<BranchCompute>& compute);

}  // namespace tileplan
