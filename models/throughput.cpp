// SPDX-License-Identifier: Apache-2.0
// Throughput bounds of register tiles: model.md 8.1, 8.2.
#include "throughput.h"

#include <algorithm>

namespace tileplan {
namespace {

// Loop entry and the mispredicted exit, cycles. model.md 8.2.
constexpr double kCallOverheadCycles = 20;

// Between two calls the loop tree moves its pointers and looks up the runs. Measured on Zen 5 as
// what 14x2 calls take beyond their isolated rate on 136x136x32 outputs with reductions of 1 to 54
// steps, 2026-11-21: 33 to 45 cycles.
constexpr double kCyclesBetweenCalls = 35;

// Counter and branch of the reduction loop, operations per iteration.
constexpr double kLoopOperations = 2;

struct Work {
  double loads = 0;       // per loop iteration
  double operations = 0;  // issued, loop control included
  int registers = 0;
};

StepCycles bound(RegisterTile tile, const VectorUnit& unit, int unroll, const Work& work) {
  const double fma = static_cast<double>(tile.pixels) * tile.vectors * unroll / unit.fma_units;
  // Each accumulator is updated once per step, and the updates of one accumulator are a chain.
  const double latency = unit.fma_latency * unroll;
  const double cycles =
      std::max({fma, latency, work.loads / unit.load_ports, work.operations / unit.issue_width});
  return {.cycles = cycles / unroll, .efficiency = fma / cycles, .registers = work.registers};
}

}  // namespace

StepCycles separate_broadcast(RegisterTile tile, const VectorUnit& unit, int unroll) {
  const int fmas = tile.pixels * tile.vectors;
  const int loads = tile.vectors + tile.pixels;
  return bound(tile, unit, unroll,
               {.loads = static_cast<double>(loads) * unroll,
                .operations = static_cast<double>(fmas + loads) * unroll + kLoopOperations,
                .registers = fmas + tile.vectors + 1});
}

StepCycles embedded_broadcast(RegisterTile tile, const VectorUnit& unit, int unroll) {
  const int fmas = tile.pixels * tile.vectors;
  return bound(tile, unit, unroll,
               {.loads = static_cast<double>(tile.vectors + fmas) * unroll,
                .operations = static_cast<double>(fmas + tile.vectors) * unroll + kLoopOperations,
                .registers = fmas + tile.vectors});
}

StepCycles vector_input(RegisterTile tile, const VectorUnit& unit, int unroll) {
  const int fmas = tile.pixels * tile.vectors;
  const int mask = unit.isa == Isa::avx512 ? 0 : 1;
  return bound(tile, unit, unroll,
               {.loads = static_cast<double>(tile.vectors + fmas) * unroll,
                .operations = static_cast<double>(fmas + tile.vectors) * unroll + kLoopOperations,
                .registers = fmas + tile.vectors + mask});
}

StepCycles generated_step(RegisterTile tile, const VectorUnit& unit) {
  if (tile.vector_input) return vector_input(tile, unit);
  const bool embedded = tile.vectors == 1 && unit.isa == Isa::avx512;
  return embedded ? embedded_broadcast(tile, unit) : separate_broadcast(tile, unit);
}

bool fits_registers(RegisterTile tile, const VectorUnit& unit) {
  return generated_step(tile, unit).registers <= unit.registers;
}

KernelRate kernel_rate(RegisterTile tile, const Machine& machine) {
  for (const KernelRate& rate : machine.kernels)
    if (!tile.vector_input && rate.pixels == tile.pixels && rate.vectors == tile.vectors) {
      KernelRate in_nest = rate;
      in_nest.cycles_per_call += kCyclesBetweenCalls;
      return in_nest;
    }
  const VectorUnit& unit = machine.vector;
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
