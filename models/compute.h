// SPDX-License-Identifier: Apache-2.0
// These functions count the cycles of microkernel calls: models/README.md eq. (S).
#pragma once

#include <vector>

#include "branches.h"

namespace tileplan {

/// Holds the cost of the microkernel calls of one branch of the lambdas on one core.
struct BranchCompute {
  RegisterTile tile;
  Calls calls;
  KernelRate rate;
  double call_cycles = 0;      ///< They are calls (c_call + steps c_step), without padding.
  double run_cycles = 0;       ///< They pass between two runs of a call (reduction.h).
  double dispatch_cycles = 0;  ///< Calls of assembled code take them (dispatch.h).

  double cycles() const { return call_cycles + run_cycles + dispatch_cycles; }
};

/// Returns the branches of `nest`, first parts first, whose loops read the input in the layout
/// `input`. Vectors of padded channels count. Example: 2 calls of 14 pixels x 2 vectors with
/// 3 x 3 x 64 steps at 14 cycles and 62 per call: 2 * (62 + 576 * 14) call_cycles.
std::vector<BranchCompute> compute_of(const Computation& computation, const Nest& nest,
                                      const TensorLayout& input, const Machine& machine);

double cycles_of(const std::vector<BranchCompute>& compute);

/// Returns the cache lines, of `line` packed weights each, that the reduction steps of all calls
/// read, in vectors of `lanes`. Example: 16 calls of 1024 steps with 4 vectors of a cache line
/// each: 65536.
double weight_lines(const std::vector<BranchCompute>& compute, int lanes, std::int64_t line);

/// Returns the reduction steps of one call, averaged over calls.
double mean_steps(const std::vector<BranchCompute>& compute);

}  // namespace tileplan
