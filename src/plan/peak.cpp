// SPDX-License-Identifier: Apache-2.0
// Measurements know the clock from sentinels: short runs of fixed work in f32 beside each sample
// (Measurement). The peaks of other types are multiples of that of f32.
#include "peak.h"

#include "tileplan/element.h"

namespace tileplan {

double peak_beside(const Machine& machine, const std::optional<Measurement>& measured) {
  const double known = peak_flops(machine);
  if (!measured || measured->peak_flops == 0) return known;
  const VectorUnit& unit = machine.vector;
  const double floats = unit.lanes * static_cast<double>(bytes_of(unit.element)) / sizeof(float);
  return measured->peak_flops * known / (2 * floats * unit.fma_units * machine.clock.hertz);
}

double seconds_at_peak(const Plan& plan, const std::optional<Measurement>& measured) {
  return plan.flops / (plan.options.threads * peak_beside(plan.machine, measured));
}

}  // namespace tileplan
