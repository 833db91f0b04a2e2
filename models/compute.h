// SPDX-License-Identifier: Apache-2.0
// These functions count the cycles of microkernel calls: models/README.md eq. (S).
#pragma once

#include <vector>

#include "branches.h"

namespace tileplan {

/// Holds the cost of the microkernel calls of one branch (branches.h) on one core.
struct BranchCompute {
  RegisterTile tile;
  Calls calls;
  KernelRate rate;
  double call_cycles = 0;  ///< Calls (c_call + steps c_step) take these cycles, without padding.
  double run_cycles = 0;   ///< Switching between runs takes these (reduction.h).
  double dispatch_cycles = 0;  ///< Calls of assembled code take these (dispatch.h).

  double cycles() const { return call_cycles + run_cycles + dispatch_cycles; }
};

/// Returns the cost of each branch of `nest` in the order of branches_of. The loops read the input
/// in the layout `input`. Vectors of padded channels count. Example: 2 calls of 14 pixels x 2
/// vectors with 3 x 3 x 64 steps at 14 cycles and 62 per call: 2 * (62 + 576 * 14) call_cycles.
std::vector<BranchCompute> compute_of(const Computation& computation, const Nest& nest,
                                      const TensorLayout& input, const Machine& machine);

double cycles_of(const std::vector<BranchCompute>& compute);

/// Returns the number of cache lines, of `line` packed weights each, that the reduction steps of
/// all calls read in vectors of `lanes`. Example: 16 calls of 1024 steps read 65536 cache lines
/// when a step reads 4 vectors of one cache line each.
double weight_lines(const std::vector<BranchCompute>& compute, int lanes, std::int64_t line);

/// Returns the mean number of reduction steps of a call.
double mean_steps(const std::vector<BranchCompute>& compute);

}  // namespace tileplan
