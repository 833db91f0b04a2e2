// SPDX-License-Identifier: Apache-2.0
// The execution resource that is busy longest determines the cycles of a register tile, unless they
// were measured.
#include "throughput.h"

#include <algorithm>

#include "footprint.h"
#include "loop_types.h"

namespace tileplan {
namespace {

// Gives the cycles of entering the loop of a call and of the mispredicted branch at its end.
constexpr double kCallOverheadCycles = 20;

// Counts the micro-operations of the reduction loop per iteration: the counter and the branch.
constexpr double kLoopOperations = 2;

constexpr std::int64_t kLineBytes = 64;

// Counts the additional loads of a load that crosses into the next cache line
// (docs/experiments.md).
constexpr double kSplitLoads = 2;

/// With AMX, the product of two tiles takes as many cycles as the input's tile has rows, but at
/// least kFewestTileRows (docs/experiments.md). Loading one row of a tile from the L1 takes
/// kCyclesPerTileRow, as measured on Sapphire Rapids.
constexpr int kFewestTileRows = 8;
constexpr double kCyclesPerTileRow = 0.85;

/// Configuring and releasing the tiles takes some 200 cycles (docs/experiments.md) for several
/// calls in a row. This constant is the share of one call.
constexpr double kTileCallCycles = 60;

/// Counts the loads and micro-operations of one reduction step, and the registers that it needs.
struct StepWork {
  double loads = 0, operations = 0;
  int registers = 0;
};

StepCycles bound(RegisterTile tile, const VectorUnit& unit, const StepWork& work) {
  const int fmas = tile.pixels * tile.vectors;
  const int instructions = instructions_of(unit.arithmetic, unit.dots);
  const double fma = static_cast<double>(fmas) * instructions / unit.fma_units;
  // If a second instruction adds the products to the sums, each product is in a register between
  // the two instructions.
  const int between = instructions - 1;
  // The updates of one accumulator depend on each other, so a step takes at least the FMA latency.
  const double cycles =
      std::max({fma, unit.fma_latency, work.loads / unit.load_ports,
                (work.operations + between * fmas + kLoopOperations) / unit.issue_width});
  return {.cycles = cycles, .efficiency = fma / cycles, .registers = work.registers + between};
}

/// Returns true when kernels make strips of the input of a depthwise convolution, or widen it, in
/// registers. Such an input has the vectorised dimension.
bool expands_input(RegisterTile tile, const VectorUnit& unit) {
  const bool has_code = unit.arithmetic == Arithmetic::dot_bytes ||
                        unit.arithmetic == Arithmetic::dot_bf16 ||
                        (unit.arithmetic == Arithmetic::widened_fma && has_masks(unit.isa));
  return tile.vector_input && unit.dots.fused_conversions && has_code;
}

/// Returns the number of instructions that multiply three rows of taps. In each lane, an
/// instruction multiplies up to four bytes, two elements of bf16 or one widened element.
int products_of_rows(Arithmetic arithmetic) {
  constexpr int kRows = 3;
  if (arithmetic == Arithmetic::dot_bytes) return 1;
  return arithmetic == Arithmetic::dot_bf16 ? 2 : kRows;
}

/// Bounds the cycles of one reduction step of a depthwise convolution, which is assumed to have
/// three rows of three taps. Making a strip takes one operation for each of its elements, and
/// widening takes two for each element. The taps of neighbouring pixels share these operations.
/// Weights that have no registers of their own are multiplied in further passes over the input.
StepCycles expanded_step(RegisterTile tile, const VectorUnit& unit) {
  constexpr int kRows = 3, kColumns = 3, kOperands = 2;
  constexpr double kShared = 2;
  const int row = tile.row == 0 ? tile.pixels : tile.row;
  const int all_sums = tile.pixels * tile.vectors;
  const double pixels = tile.pixels, sums = all_sums;
  const int groups = products_of_rows(unit.arithmetic);
  const int room = std::max(1, unit.registers - all_sums - kOperands);
  const int passes = (groups * kColumns + room - 1) / room;
  const double arranging = (unit.arithmetic == Arithmetic::widened_fma ? 2.0 : 1.0) * passes;
  const double products = sums * groups / kRows;
  const double elements = (pixels + kShared * pixels / row) * tile.vectors / kRows;
  const double cycles = std::max((products + arranging * elements) / unit.fma_units,
                                 unit.fma_latency * groups / kRows);
  return {.cycles = cycles,
          .efficiency = products / unit.fma_units / cycles,
          .registers = all_sums + kOperands + 1};
}

StepCycles pixel_vectors(RegisterTile tile, const VectorUnit& unit) {
  const int fmas = tile.pixels * tile.vectors;
  const int inputs = fmas / tile.channels;
  const int in_registers = tile.channels > 1 ? inputs : 0;
  const std::int64_t line = kLineBytes / bytes_of(unit.element);
  const double split = expected_lines(unit.lanes, unit.lanes, static_cast<double>(line)) - 1;
  // Bytes of the input are loaded into a register, because they may be the unsigned factor of
  // vpdpbusd, which cannot be in memory.
  const bool loads = tile.channels > 1 || unit.arithmetic == Arithmetic::dot_bytes;
  const int spare = !has_masks(unit.isa) ? 2 : loads ? 1 : 0;
  return bound(tile, unit,
               {.loads = tile.channels + inputs * (1 + kSplitLoads * split),
                .operations = static_cast<double>(fmas + tile.channels + in_registers),
                .registers = fmas + tile.channels + spare});
}

bool is_fma(Arithmetic arithmetic) {
  return arithmetic == Arithmetic::fma || arithmetic == Arithmetic::widened_fma;
}

/// Returns the entry of MeasuredRates::others for the arithmetic that the machine uses, or null.
const ArithmeticRates* rates_of_arithmetic(const Machine& machine) {
  const std::vector<ArithmeticRates>& others = machine.rates.others;
  const auto found =
      std::ranges::find(others, machine.vector.arithmetic, &ArithmeticRates::arithmetic);
  return found == others.end() ? nullptr : &*found;
}

/// Returns the measured rates of register tiles for the arithmetic that the machine uses, or an
/// empty list. Widened elements have the rates of f32.
const std::vector<KernelRate>& measured_rates(const Machine& machine) {
  static const std::vector<KernelRate> none;
  if (is_fma(machine.vector.arithmetic)) return machine.rates.kernels;
  const ArithmeticRates* const rates = rates_of_arithmetic(machine);
  return rates == nullptr ? none : rates->kernels;
}

/// Returns the cycles of `step`. If the rate of its instruction was measured, they are at least
/// those that the products take at this rate, which may be slower than one per cycle and unit. This
/// limit does not apply to AMX.
double cycles_of_step(const StepCycles& step, const Machine& machine) {
  const VectorUnit& unit = machine.vector;
  const ArithmeticRates* const rates = rates_of_arithmetic(machine);
  if (rates == nullptr || uses_tiles(unit.arithmetic)) return step.cycles;
  const double products =
      step.efficiency * step.cycles * unit.fma_units / instructions_of(unit.arithmetic, unit.dots);
  return std::max(step.cycles, products / rates->steps_per_cycle);
}

/// Returns the measured rate of the tile that has as many broadcasts and as many vectors as `tile`,
/// or null. The result is null too for vectors of the input, and for several rows of pixels with
/// AMX.
const KernelRate* measured_rate(RegisterTile tile, const Machine& machine) {
  if (tile.channels > 0)
    tile = {.pixels = tile.channels, .vectors = tile.pixels * tile.vectors / tile.channels};
  if (tile.vector_input) return nullptr;
  const std::vector<KernelRate>& rates = measured_rates(machine);
  const bool has_rows = tile.row != 0 && tile.row != tile.pixels;
  if (has_rows && uses_tiles(machine.vector.arithmetic)) return nullptr;
  const auto rate = std::ranges::find_if(
      rates, [&](const auto& r) { return r.pixels == tile.pixels && r.vectors == tile.vectors; });
  return rate == rates.end() ? nullptr : &*rate;
}

}  // namespace

StepCycles separate_broadcast(RegisterTile tile, const VectorUnit& unit) {
  const int fmas = tile.pixels * tile.vectors;
  const double loads = tile.vectors + tile.pixels;
  return bound(tile, unit,
               {.loads = loads, .operations = fmas + loads, .registers = fmas + tile.vectors + 1});
}

StepCycles embedded_broadcast(RegisterTile tile, const VectorUnit& unit) {
  const int work = tile.pixels * tile.vectors + tile.vectors;
  const auto loads = static_cast<double>(work);
  return bound(tile, unit, {.loads = loads, .operations = loads, .registers = work});
}

bool has_masks(Isa isa) { return isa == Isa::avx512 || isa == Isa::avx512vl || isa == Isa::amx; }

int embedded_vectors(const VectorUnit& unit) {
  if (!embeds_operands(unit)) return 0;
  if (unit.isa == Isa::avx512vl) return 2;
  return unit.isa == Isa::avx512 ? 1 : 0;
}

bool embeds_operands(const VectorUnit& unit) {
  return unit.arithmetic != Arithmetic::dot_bytes && !uses_tiles(unit.arithmetic) &&
         instructions_of(unit.arithmetic, unit.dots) == 1;
}

int most_pixels(const VectorUnit& unit) {
  constexpr int kMostPixels = 2 * kTileRows;
  return uses_tiles(unit.arithmetic) ? kMostPixels : unit.registers;
}

std::vector<int> split_into_tiles(int count) {
  const int tiles = (count + kTileRows - 1) / kTileRows;
  std::vector<int> rows;
  rows.reserve(static_cast<std::size_t>(tiles));
  for (int i = 0; i < tiles; ++i) rows.push_back(count * (i + 1) / tiles - count * i / tiles);
  return rows;
}

bool streams_input(int groups, int vectors) { return groups * (vectors + 1) + 1 > kTileRegisters; }

StepCycles tile_step(RegisterTile tile, const VectorUnit& unit) {
  if (tile.vector_input || tile.channels > 0) return {.cycles = 1, .registers = kTileRegisters + 1};
  const int row = tile.row == 0 ? tile.pixels : tile.row;
  const std::vector<int> parts = split_into_tiles(row);
  const int rows = tile.pixels / row, groups = rows * static_cast<int>(std::ssize(parts));
  int busy = 0;
  for (const int part : parts) busy += rows * std::max(part, kFewestTileRows);
  const double products = static_cast<double>(busy) * tile.vectors / unit.fma_units;
  const double loads = kCyclesPerTileRow * (tile.pixels + kTileRows * tile.vectors);
  const double cycles = std::max(products, loads);
  const bool streams = streams_input(groups, tile.vectors);
  // One tile register holds the groups of pixels in turn. Tiles of different sizes would have to be
  // configured again for each group, so such a step counts more registers than there are.
  if (streams && parts.front() != parts.back())
    return {.cycles = cycles, .registers = kTileRegisters + 1};
  const int operands = streams ? tile.vectors + 1 : groups + 1;
  return {.cycles = cycles,
          .efficiency = static_cast<double>(tile.pixels) * tile.vectors / unit.fma_units / cycles,
          .registers = groups * tile.vectors + operands};
}

StepCycles generated_step(RegisterTile tile, const VectorUnit& unit) {
  if (uses_tiles(unit.arithmetic)) return tile_step(tile, unit);
  if (tile.channels > 0) return pixel_vectors(tile, unit);
  if (expands_input(tile, unit)) return expanded_step(tile, unit);
  if (!tile.vector_input && tile.vectors > embedded_vectors(unit))
    return separate_broadcast(tile, unit);
  StepCycles step = embedded_broadcast(tile, unit);
  if (tile.vector_input && (!has_masks(unit.isa) || !embeds_operands(unit))) ++step.registers;
  return step;
}

bool fits_registers(RegisterTile tile, const VectorUnit& unit) {
  return generated_step(tile, unit).registers <= unit.registers;
}

KernelRate kernel_rate(RegisterTile tile, const Machine& machine) {
  const VectorUnit& unit = machine.vector;
  if (const KernelRate* const measured = measured_rate(tile, machine)) {
    KernelRate rate = *measured;
    rate.pixels = tile.pixels;
    rate.vectors = tile.vectors;
    if (tile.channels > 0)
      rate.cycles_per_step = std::max(rate.cycles_per_step, generated_step(tile, unit).cycles);
    return rate;
  }
  const StepCycles step = generated_step(tile, unit);
  const double load_and_store = 1.0 / unit.load_ports + 1.0 / unit.store_ports;
  const int spilled = std::max(0, step.registers - unit.registers);
  // The cycles per call include loading the accumulators, so continuing a sum costs nothing more.
  return {.pixels = tile.pixels,
          .vectors = tile.vectors,
          .cycles_per_step = cycles_of_step(step, machine) + spilled * load_and_store,
          .cycles_per_call = tile.pixels * tile.vectors * load_and_store + kCallOverheadCycles +
                             (uses_tiles(unit.arithmetic) ? kTileCallCycles : 0),
          .cycles_per_resume = 0};
}

void CallCycles::add(const CallCycles& each, double times) {
  call += times * each.call;
  step += times * each.step;
  resume += times * each.resume;
  short_call += times * each.short_call;
}

}  // namespace tileplan
