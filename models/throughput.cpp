// SPDX-License-Identifier: Apache-2.0
// Bounds register tiles by what their instructions take of each execution resource.
#include "throughput.h"

#include <algorithm>

#include "footprint.h"

namespace tileplan {
namespace {

// Loop entry and the mispredicted exit take so many cycles.
constexpr double kCallOverheadCycles = 20;

// The counter and the branch of the reduction loop are two operations per iteration.
constexpr double kLoopOperations = 2;

constexpr std::int64_t kLineBytes = 64;

// A load that crosses into the next line takes two more (docs/experiments.md).
constexpr double kSplitLoads = 2;

struct StepWork {
  double loads = 0;       // per step
  double operations = 0;  // issued per step
  int registers = 0;
};

StepCycles bound(RegisterTile tile, const VectorUnit& unit, int unroll, const StepWork& work) {
  const double fma = static_cast<double>(tile.pixels) * tile.vectors * unroll / unit.fma_units;
  // Each accumulator is updated once per step, and the updates of one accumulator are a chain.
  const double latency = unit.fma_latency * unroll;
  const double cycles = std::max({fma, latency, work.loads * unroll / unit.load_ports,
                                  (work.operations * unroll + kLoopOperations) / unit.issue_width});
  return {.cycles = cycles / unroll, .efficiency = fma / cycles, .registers = work.registers};
}

}  // namespace

StepCycles separate_broadcast(RegisterTile tile, const VectorUnit& unit, int unroll) {
  const int fmas = tile.pixels * tile.vectors;
  const double loads = tile.vectors + tile.pixels;
  return bound(tile, unit, unroll,
               {.loads = loads, .operations = fmas + loads, .registers = fmas + tile.vectors + 1});
}

StepCycles embedded_broadcast(RegisterTile tile, const VectorUnit& unit, int unroll) {
  const int work = tile.pixels * tile.vectors + tile.vectors;
  return bound(tile, unit, unroll,
               {.loads = static_cast<double>(work),
                .operations = static_cast<double>(work),
                .registers = work});
}

StepCycles vector_input(RegisterTile tile, const VectorUnit& unit, int unroll) {
  StepCycles step = embedded_broadcast(tile, unit, unroll);
  step.registers += has_masks(unit.isa) ? 0 : 1;
  return step;
}

StepCycles pixel_vectors(RegisterTile tile, const VectorUnit& unit, int unroll) {
  const int fmas = tile.pixels * tile.vectors;
  const int inputs = fmas / tile.channels;
  const int kept = tile.channels > 1 ? inputs : 0;  // input vectors loaded into a register
  const std::int64_t line = kLineBytes / bytes_of(unit.element);
  const double split = expected_lines(unit.lanes, unit.lanes, static_cast<double>(line)) - 1;
  const int spare = !has_masks(unit.isa) ? 2 : tile.channels > 1 ? 1 : 0;
  return bound(tile, unit, unroll,
               {.loads = tile.channels + inputs * (1 + kSplitLoads * split),
                .operations = static_cast<double>(fmas + tile.channels + kept),
                .registers = fmas + tile.channels + spare});
}

bool has_masks(Isa isa) { return isa == Isa::avx512 || isa == Isa::avx512vl; }

int embedded_vectors(Isa isa) {
  if (isa == Isa::avx512vl) return 2;
  return isa == Isa::avx512 ? 1 : 0;
}

StepCycles generated_step(RegisterTile tile, const VectorUnit& unit) {
  if (tile.channels > 0) return pixel_vectors(tile, unit);
  if (tile.vector_input) return vector_input(tile, unit);
  const bool embedded = tile.vectors <= embedded_vectors(unit.isa);
  return embedded ? embedded_broadcast(tile, unit) : separate_broadcast(tile, unit);
}

bool fits_registers(RegisterTile tile, const VectorUnit& unit) {
  return generated_step(tile, unit).registers <= unit.registers;
}

namespace {

/// Returns the measured rate of as many broadcasts times vectors, if there is one.
const KernelRate* measured_rate(RegisterTile tile, const Machine& machine) {
  if (tile.channels > 0)
    tile = {.pixels = tile.channels, .vectors = tile.pixels * tile.vectors / tile.channels};
  if (tile.vector_input) return nullptr;
  const auto rate = std::ranges::find_if(machine.rates.kernels, [&](const auto& r) {
    return r.pixels == tile.pixels && r.vectors == tile.vectors;
  });
  return rate == machine.rates.kernels.end() ? nullptr : &*rate;
}

}  // namespace

KernelRate kernel_rate(RegisterTile tile, const Machine& machine) {
  const VectorUnit& unit = machine.vector;
  if (const KernelRate* const measured = measured_rate(tile, machine)) {
    KernelRate in_nest = *measured;
    in_nest.pixels = tile.pixels;
    in_nest.vectors = tile.vectors;
    if (tile.channels > 0)
      in_nest.cycles_per_step =
          std::max(in_nest.cycles_per_step, generated_step(tile, unit).cycles);
    return in_nest;
  }
  const StepCycles step = generated_step(tile, unit);
  const double load_and_store = 1.0 / unit.load_ports + 1.0 / unit.store_ports;
  const int spilled = std::max(0, step.registers - unit.registers);
  // Every call counts as one that loads the accumulators, so resuming costs nothing more.
  return {.pixels = tile.pixels,
          .vectors = tile.vectors,
          .cycles_per_step = step.cycles + spilled * load_and_store,
          .cycles_per_call = tile.pixels * tile.vectors * load_and_store + kCallOverheadCycles,
          .cycles_per_resume = 0};
}

}  // namespace tileplan
