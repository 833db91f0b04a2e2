// SPDX-License-Identifier: Apache-2.0
// This file counts the calls and steps of a kernel combination.
#include "objective.h"

namespace tileplan {

ComputeTime compute_time(const Computation& computation, const KernelCombo& kernels,
                         const Machine& machine, const Tile& extents) {
  const BaseCycles cycles = base_cycles(computation, kernels, machine);
  ComputeTime time;
  double boxes = 1;
  for (int d = 0; d < computation.dims(); ++d) {
    const std::int64_t count = extents[Dim{d}] / kernels.base[Dim{d}];
    const auto trips = static_cast<double>(count);
    boxes *= trips;
    if (computation.role(Dim{d}) == Role::reduction) time.all_steps *= trips;
  }
  time.call = boxes * cycles.call / machine.clock.hertz;
  time.resume = boxes * cycles.resume / machine.clock.hertz;
  time.step = boxes * cycles.step / machine.clock.hertz;
  return time;
}

}  // namespace tileplan
