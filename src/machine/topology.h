// SPDX-License-Identifier: Apache-2.0
// Cores, caches and clock as the operating system (sysfs, /proc) and hwloc report them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tileplan {

/// A data or unified cache as one source reports it; 0 is "not told".
struct CacheGeometry {
  int level = 0;
  std::int64_t capacity_bytes = 0;
  int line_bytes = 0;
  int ways = 0;
  int shared_by_cores = 0;

  bool operator==(const CacheGeometry&) const = default;
};

struct ReportedClock {
  double hertz = 0;    ///< 0: not told
  std::string source;  ///< file
};

struct HostTopology {
  int cores = 0;          ///< physical cores: hyper-threads of one core count once; 0: not told
  ReportedClock base;     ///< guaranteed clock
  ReportedClock highest;  ///< highest clock that the scaling driver sets
  ReportedClock current;  ///< /proc/cpuinfo: now, or the base clock in a virtual machine
  std::vector<CacheGeometry> caches;  ///< of cpu0, innermost first
};

/// Reads sys/devices/system/cpu and proc/cpuinfo under `root` ("/" but for tests). What is missing
/// or makes no sense is "not told". Never throws.
HostTopology read_topology(const std::filesystem::path& root);

/// Caches of the first core, innermost first, from hwloc; empty when hwloc knows none.
std::vector<CacheGeometry> read_hwloc_caches();

/// "0-2,8" -> 0 1 2 8. What is no list yields the part before it.
std::vector<int> parse_cpu_list(const std::string& text);

}  // namespace tileplan
