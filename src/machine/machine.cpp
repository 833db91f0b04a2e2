// SPDX-License-Identifier: Apache-2.0
// Loads the shipped machine files by name and other files by path, and saves machines.
#include "tileplan/machine.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "check.h"
#include "embedded.h"
#include "files.h"
#include "machine_json.h"
#include "microarchitecture.h"
#include "tileplan/error.h"
#include "words.h"

namespace tileplan {
namespace {

constexpr const char* kExtension = ".json";

/// Sets the number of lanes for `type`. A unit without vectors keeps its single lane.
void set_element(VectorUnit& unit, ElementType type) {
  const std::int64_t bytes = unit.lanes * bytes_of(unit.element);
  if (unit.lanes > 1) unit.lanes = static_cast<int>(bytes / bytes_of(type));
  unit.element = type;
}

}  // namespace

Machine machine_for(Machine machine, ElementType type) {
  set_element(machine.vector, type);
  if (machine.narrow) set_element(machine.narrow->vector, type);
  return machine;
}

Machine with_narrow_unit(Machine machine) {
  TILEPLAN_CHECK(machine.narrow.has_value(), "a machine without a narrow unit");
  NarrowUnit unit = *std::exchange(machine.narrow, std::nullopt);
  machine.vector = std::move(unit.vector);
  machine.rates.kernels = std::move(unit.kernels);
  return machine;
}

double peak_flops(const Machine& machine) {
  return 2.0 * machine.vector.lanes * machine.vector.fma_units * machine.clock.hertz;
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
                comma_separated(shipped_machines()));
  return machine_from_json(read_file(path_or_name, "a machine file"), path_or_name);
}

void save_machine(const Machine& machine, const std::string& path) {
  const std::string text = to_json(machine);
  // A machine that load_machine would refuse (a NaN, a rate of 0) must not replace a valid file.
  machine_from_json(text, path);
  atomic_write(path, text);
}

}  // namespace tileplan
