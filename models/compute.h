// SPDX-License-Identifier: Apache-2.0
// Counts the cycles of microkernel calls. models/README.md eq. (S).
#pragma once

#include <vector>

#include "branches.h"

namespace tileplan {

/// The cost of the microkernel calls of one branch of the lambdas on one core.
struct BranchCompute {
  RegisterTile tile;
  Calls calls;
  KernelRate rate;
  double call_cycles = 0;      ///< calls (c_call + steps c_step); steps that read padding are free
  double run_cycles = 0;       ///< between the runs of steps of the calls (reduction.h)
  double dispatch_cycles = 0;  ///< of calls of assembled code (dispatch.h)

  double cycles() const { return call_cycles + run_cycles + dispatch_cycles; }
};

/// Returns the branches of `nest`, first parts first, whose loops find the input in the layout
/// `input`. Vectors of padded channels count. Example: 2 calls of 14 pixels x 2
/// vectors with 3 x 3 x 64 steps at 14 cycles and 62 per call: 2 * (62 + 576 * 14) call_cycles.
std::vector<BranchCompute> compute_of(const Computation& computation, const Nest& nest,
                                      const TensorLayout& input, const Machine& machine);

/// Returns the cycles of all calls of `compute`.
double cycles_of(const std::vector<BranchCompute>& compute);

/// Returns the cache lines of `line` packed weights that the reduction steps of all calls read, in
/// vectors of `lanes`. Example: 16 calls of 1024 steps with 4 vectors of a line each: 65536.
double weight_lines(const std::vector<BranchCompute>& compute, int lanes, std::int64_t line);

/// Returns the reduction steps of one call, averaged over calls.
double mean_steps(const std::vector<BranchCompute>& compute);

}  // namespace tileplan
