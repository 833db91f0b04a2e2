// SPDX-License-Identifier: Apache-2.0
// Reads one line of /proc/meminfo.
#include "memory.h"

#include <fstream>
#include <string>

namespace tileplan {

std::size_t available_memory() {
  constexpr std::size_t kKibi = 1024;
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  for (std::size_t kibibytes = 0; file >> name >> kibibytes && std::getline(file, unit);)
    if (name == "MemAvailable:") return kibibytes * kKibi;
  return 0;
}

}  // namespace tileplan
