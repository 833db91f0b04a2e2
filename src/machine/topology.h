// SPDX-License-Identifier: Apache-2.0
// This file reads cores, caches, clocks and memory from the operating system (sysfs, /proc) and
// hwloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tileplan {

inline constexpr double kHertzPerMegahertz = 1e6;

/// Describes a data or unified cache as one source reports it. A 0 marks a value that is not
/// reported.
struct CacheGeometry {
  int level = 0;
  std::int64_t capacity_bytes = 0;
  int line_bytes = 0;
  int ways = 0;
  int shared_by_cores = 0;

  bool operator==(const CacheGeometry&) const = default;
};

struct ReportedClock {
  double hertz = 0;    ///< Gives the clock, or 0 when none is reported.
  std::string source;  ///< Names the file, or the cpuid leaf, of the clock.
};

struct HostTopology {
  /// Counts the physical cores that are online. It is 0 when unknown.
  int cores = 0;
  /// This is the clock that the processor guarantees.
  ReportedClock base;
  /// This is the highest clock that the scaling driver sets.
  ReportedClock highest;
  /// This is the clock at the time of reading, which is often the base clock in a virtual machine.
  ReportedClock current;
  std::vector<CacheGeometry> caches;  ///< Lists the caches of cpu0, innermost first.
};

/// Reads sysfs and /proc/cpuinfo under `root` and skips malformed entries. Never throws.
HostTopology read_topology(const std::filesystem::path& root);

/// Returns the caches of the first core that hwloc reports, innermost first, or none when hwloc
/// fails.
std::vector<CacheGeometry> read_hwloc_caches();

/// Parses a list such as "0-2,8" into 0 1 2 8. Stops at the first malformed character, or number
/// above 65535.
std::vector<int> parse_cpu_list(const std::string& text);

/// Returns the bytes that programs can allocate without swapping, or 0 if that is unknown.
std::size_t available_memory();

}  // namespace tileplan
