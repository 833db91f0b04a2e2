// SPDX-License-Identifier: Apache-2.0
// This file loads shipped machine files by name and other machine files by path, saves machines,
// adapts them to element types and vector units, and computes their peaks.
#include "tileplan/machine.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "check.h"
#include "embedded.h"
#include "files.h"
#include "loop_types.h"
#include "machine_json.h"
#include "microarchitecture.h"
#include "tileplan/error.h"
#include "units.h"
#include "words.h"

namespace tileplan {
namespace {

constexpr const char* kExtension = ".json";

/// Sets the arithmetic for `types`, and the lanes to the number of sums that fit a register. A
/// scalar unit keeps its single lane.
void set_types(VectorUnit& unit, const TensorTypes& types) {
  const std::int64_t bytes = unit.lanes * bytes_of(unit.element);
  const LoopTypes loops = loop_types(types, unit);
  if (unit.lanes > 1) unit.lanes = static_cast<int>(bytes / bytes_of(loops.sums));
  unit.element = loops.sums;
  unit.arithmetic = loops.arithmetic;
}

double steps_per_cycle(const Machine& machine, const VectorUnit& unit) {
  const auto measured =
      std::ranges::find(machine.rates.others, unit.arithmetic, &ArithmeticRates::arithmetic);
  if (measured != machine.rates.others.end()) return measured->steps_per_cycle;
  return static_cast<double>(unit.fma_units) / instructions_of(unit.arithmetic, unit.dots);
}

}  // namespace

Machine machine_for(Machine machine, const TensorTypes& types) {
  set_types(machine.vector, types);
  if (machine.narrow) set_types(machine.narrow->vector, types);
  if (machine.tiles && has_tiles(types, *machine.tiles)) {
    set_types(*machine.tiles, types);
  } else if (machine.tiles) {
    machine.tiles->element = ElementType::f32;
    machine.tiles->arithmetic = Arithmetic::fma;
  }
  return machine;
}

Machine with_tile_unit(Machine machine) {
  TILEPLAN_CHECK(machine.tiles.has_value(), "a machine without tiles");
  machine.vector = *std::exchange(machine.tiles, std::nullopt);
  machine.narrow.reset();
  machine.rates.kernels.clear();  // The rates of kernels were measured with vectors, not tiles.
  machine.rates.transforms.clear();
  // A reduction step with tiles reads 16 times as many weights as a step with vectors, so weights
  // are prefetched at most one step early.
  machine.rates.prefetch_steps = std::min(machine.rates.prefetch_steps, 1);
  if (machine.rates.near_prefetch_steps)
    machine.rates.near_prefetch_steps = std::min(*machine.rates.near_prefetch_steps, 1);
  return machine;
}

Machine with_narrow_unit(Machine machine) {
  TILEPLAN_CHECK(machine.narrow.has_value(), "a machine without a narrow unit");
  NarrowUnit unit = *std::exchange(machine.narrow, std::nullopt);
  machine.vector = std::move(unit.vector);
  machine.rates.kernels = std::move(unit.kernels);
  machine.rates.transforms.clear();  // The rates of transforms were measured with wide vectors.
  machine.rates.others.clear();  // The rates of other arithmetic were measured with wide vectors.
  return machine;
}

bool uses_tiles(Arithmetic arithmetic) {
  return arithmetic == Arithmetic::tile_bf16 || arithmetic == Arithmetic::tile_bytes;
}

int products_per_lane(Arithmetic arithmetic) {
  if (arithmetic == Arithmetic::tile_bytes) return 64;
  if (arithmetic == Arithmetic::tile_bf16) return 32;
  if (arithmetic == Arithmetic::dot_bytes) return 4;
  return arithmetic == Arithmetic::dot_bf16 || arithmetic == Arithmetic::dot_s16 ? 2 : 1;
}

VectorUnit with_widened_bf16(VectorUnit unit) {
  unit.dots.widens_bf16 = true;
  if (unit.arithmetic == Arithmetic::dot_bf16) unit.arithmetic = Arithmetic::widened_fma;
  return unit;
}

Machine with_widened_bf16(Machine machine) {
  machine.vector = with_widened_bf16(std::move(machine.vector));
  if (machine.narrow) machine.narrow->vector = with_widened_bf16(std::move(machine.narrow->vector));
  return machine;
}

bool may_widen(const VectorUnit& unit) {
  return unit.arithmetic == Arithmetic::dot_bf16 && unit.isa != Isa::neon;
}

double peak_flops(const Machine& machine) {
  const auto of = [&](const VectorUnit& unit) {
    return 2.0 * unit.lanes * products_per_lane(unit.arithmetic) * steps_per_cycle(machine, unit) *
           machine.clock.hertz;
  };
  double peak = of(machine.vector);
  if (may_widen(machine.vector)) peak = std::max(peak, of(with_widened_bf16(machine.vector)));
  if (machine.tiles && uses_tiles(machine.tiles->arithmetic))
    peak = std::max(peak, of(*machine.tiles));
  return peak;
}

std::vector<std::string> shipped_machines() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded_machines())
    if (file.name != kMicroarchitectureFile)
      names.push_back(file.name.substr(0, file.name.size() - std::string(kExtension).size()));
  std::ranges::sort(names);
  return names;
}

Machine load_machine(const std::string& path_or_name) {
  for (const EmbeddedFile& file : embedded_machines())
    if (file.name == path_or_name + kExtension && file.name != kMicroarchitectureFile)
      return machine_from_json(file.content, file.name);
  std::error_code too_long;
  if (path_or_name.find('/') == std::string::npos &&
      !std::filesystem::exists(path_or_name, too_long))
    throw Error("machine \"" + path_or_name +
                "\" is neither a file nor shipped; must be a path or one of " +
                comma_separated(shipped_machines()) + meant_text(path_or_name, shipped_machines()));
  return machine_from_json(read_file(path_or_name, "a machine file"), path_or_name);
}

void save_machine(const Machine& machine, const std::string& path) {
  const std::string text = to_json(machine);
  // A machine that load_machine() would refuse (a NaN, a rate of 0) must not replace a valid file,
  // so the text is parsed first.
  machine_from_json(text, path);
  atomic_write(path, text);
}

}  // namespace tileplan
