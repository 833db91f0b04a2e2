// SPDX-License-Identifier: Apache-2.0
// The cores share whole calls, and the busiest one gets as many calls as an even division rounded
// up.
#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels.h"

namespace tileplan {
namespace {

/// Counts the calls with one size in a list of blocks, and gives the cycles of each.
struct CallsOfSize {
  double times = 0, cycles = 0;
};

/// Returns the share of the calls that the busiest core makes.
double share_of_calls(const KernelCombo& kernels, double lists, int cores) {
  double calls = lists;
  for (const std::optional<Lambda>* each : {&kernels.lambda, &kernels.second_split}) {
    double blocks = 0;
    for (const Part& part : *each ? (*each)->parts : std::vector<Part>{{1, 0}})
      blocks += static_cast<double>(part.times);
    calls *= blocks;
  }
  return std::ceil(calls / cores) / calls;
}

/// Returns the time of the busiest core divided by the time of all calls in `lists` lists, each of
/// which has calls of two sizes. The slower calls are adjacent in each list, so the busiest core
/// may make as many of them as fit into its part.
double share_of_time(CallsOfSize slow, CallsOfSize fast, double lists, int cores) {
  if (slow.cycles < fast.cycles) std::swap(slow, fast);
  const double calls = slow.times + fast.times;
  const double cycles = slow.times * slow.cycles + fast.times * fast.cycles;
  const double busiest = std::ceil(lists * calls / cores);
  const double whole = std::floor(busiest / calls), rest = busiest - whole * calls;
  const double slowest = std::min(rest, slow.times);
  return (whole * cycles + slowest * slow.cycles + (rest - slowest) * fast.cycles) /
         (lists * cycles);
}

}  // namespace

double busiest_share(const Computation& computation, const KernelCombo& kernels,
                     const Machine& machine) {
  if (machine.cores == 1) return 1;
  const BaseTrips trips = trips_of(
      computation, kernels, covered_extents(computation, kernels.vectorised, machine.vector.lanes));
  if (!kernels.lambda || kernels.second_split)
    return share_of_calls(kernels, trips.outputs, machine.cores);
  const auto calls_of = [&](const Part& part) {
    const RegisterTile tile = register_tile(computation, kernels, machine.vector.lanes, part.size);
    return CallsOfSize{.times = static_cast<double>(part.times),
                       .cycles = CallCycles(kernel_rate(tile, machine)).of(trips.steps)};
  };
  const std::vector<Part>& parts = kernels.lambda->parts;
  return share_of_time(calls_of(parts.front()), calls_of(parts.back()), trips.outputs,
                       machine.cores);
}

}  // namespace tileplan
