// SPDX-License-Identifier: Apache-2.0
// The cycles of a branch are the sum of those of calls, of changes between runs (reduction.h) and
// of calls from the interpreted loops (dispatch.h).
#include "compute.h"

#include "dispatch.h"
#include "integers.h"
#include "reduction.h"

namespace tileplan {

std::vector<BranchCompute> compute_of(const Computation& computation, const Nest& nest,
                                      const TensorLayout& input, const Machine& machine) {
  const double read = array_share(computation, nest.vectorised);
  const Overheads& overheads = machine.rates.overheads;
  std::vector<BranchCompute> compute;
  for (const Branch& branch : branches_of(nest)) {
    const RegisterTile tile = register_tile(computation, branch.nest, machine.vector.lanes);
    const Calls calls = calls_of(computation, branch);
    const double steps = calls.calls * calls.steps;
    const double runs = steps / steps_per_run(computation, branch, input);
    const double read_steps = read * calls.steps;
    const CallCycles cycles = CallCycles(kernel_rate(tile, machine)).at(read_steps);
    compute.push_back(
        {.tile = tile,
         .calls = calls,
         .cycles_of_call = cycles,
         .call_cycles = calls.calls * cycles.of(read_steps) + calls.resumed * cycles.resume,
         .run_cycles = overheads.run_cycles * (runs - calls.calls),
         .dispatch_cycles = overheads.dispatch_cycles * dispatches_of(computation, nest, branch)});
  }
  return compute;
}

double cycles_of(const std::vector<BranchCompute>& compute) {
  double cycles = 0;
  for (const BranchCompute& branch : compute) cycles += branch.cycles();
  return cycles;
}

double mean_steps(const std::vector<BranchCompute>& compute) {
  double calls = 0, steps = 0;
  for (const BranchCompute& branch : compute) {
    calls += branch.calls.calls;
    steps += branch.calls.calls * branch.calls.steps;
  }
  return steps / calls;
}

}  // namespace tileplan
