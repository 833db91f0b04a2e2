// SPDX-License-Identifier: Apache-2.0
// Reads cores, caches, clock and memory from the operating system (sysfs, /proc) and hwloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tileplan {

/// A data or unified cache as one source reports it; 0 means "not reported".
struct CacheGeometry {
  int level = 0;
  std::int64_t capacity_bytes = 0;
  int line_bytes = 0;
  int ways = 0;
  int shared_by_cores = 0;

  bool operator==(const CacheGeometry&) const = default;
};

struct ReportedClock {
  double hertz = 0;    ///< 0: not reported
  std::string source;  ///< file
};

struct HostTopology {
  int cores = 0;          ///< physical cores; 0: not reported
  ReportedClock base;     ///< guaranteed clock
  ReportedClock highest;  ///< highest clock that the scaling driver sets
  ReportedClock current;  ///< /proc/cpuinfo: now, or the base clock in a virtual machine
  std::vector<CacheGeometry> caches;  ///< of cpu0, innermost first
};

/// Reads sysfs and /proc/cpuinfo under `root`. Bad entries are "not reported". Never throws.
HostTopology read_topology(const std::filesystem::path& root);

/// Returns hwloc's caches of the first core, innermost first; empty when hwloc knows none.
std::vector<CacheGeometry> read_hwloc_caches();

/// Parses a list like "0-2,8" into 0 1 2 8, up to the first character that is no list.
std::vector<int> parse_cpu_list(const std::string& text);

/// Returns the bytes that programs can get without swapping (/proc/meminfo); 0: not reported.
std::size_t available_memory();

}  // namespace tileplan
