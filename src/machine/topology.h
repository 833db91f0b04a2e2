// SPDX-License-Identifier: Apache-2.0
// The operating system (sysfs, /proc) and hwloc report cores, caches, clock and memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tileplan {

/// Describes a data or unified cache as one source reports it, where 0 means "not reported".
struct CacheGeometry {
  int level = 0;
  std::int64_t capacity_bytes = 0;
  int line_bytes = 0;
  int ways = 0;
  int shared_by_cores = 0;

  bool operator==(const CacheGeometry&) const = default;
};

struct ReportedClock {
  double hertz = 0;    ///< It is 0 when it is not reported.
  std::string source;  ///< It names the file.
};

struct HostTopology {
  int cores = 0;                      ///< They are physical. 0 means that they are not reported.
  ReportedClock base;                 ///< The clock is guaranteed.
  ReportedClock highest;              ///< The scaling driver sets no higher clock.
  ReportedClock current;              ///< In a virtual machine, it is often the base clock.
  std::vector<CacheGeometry> caches;  ///< They are those of cpu0, innermost first.
};

/// Reads sysfs and /proc/cpuinfo under `root`. Bad entries are "not reported". Never throws.
HostTopology read_topology(const std::filesystem::path& root);

/// Returns the caches of the first core that hwloc knows, innermost first.
std::vector<CacheGeometry> read_hwloc_caches();

/// Parses a list like "0-2,8" into 0 1 2 8, up to the first character that fits in no list.
std::vector<int> parse_cpu_list(const std::string& text);

/// Returns the bytes that programs can get without swapping, or 0 without /proc/meminfo.
std::size_t available_memory();

}  // namespace tileplan
