// SPDX-License-Identifier: Apache-2.0
// This file treats each missing or malformed file as "not reported".
#include "topology.h"

#include <hwloc.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <memory>
#include <set>
#include <type_traits>

namespace tileplan {
namespace {

namespace fs = std::filesystem;

constexpr double kHertzPerKilohertz = 1e3;
constexpr int kMostCpus = 1 << 16;  ///< Processor numbers are below this; others are malformed.

std::string line_of(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

/// Returns the positive integer at the start of `text`, or 0, and sets `rest` to the text after it.
std::int64_t number_of(const std::string& text, std::string* rest = nullptr) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (rest != nullptr) *rest = std::string(end, text.data() + text.size());
  return error == std::errc() && value > 0 ? value : 0;
}

int small_number_of(const fs::path& file) {
  constexpr std::int64_t kMost = 1 << 20;  // Limits the levels, ways and line sizes.
  const std::int64_t value = number_of(line_of(file));
  return value <= kMost ? static_cast<int>(value) : 0;
}

/// Parses a size such as "48K" or "1M". Returns 0 for a malformed size, and for a number above
/// 2^40.
std::int64_t size_of(const std::string& text) {
  constexpr std::int64_t kKibi = 1024, kMost = std::int64_t{1} << 40;
  std::string unit;
  const std::int64_t value = number_of(text, &unit);
  if (value > kMost) return 0;
  if (unit == "K") return value * kKibi;
  if (unit == "M") return value * kKibi * kKibi;
  return unit.empty() ? value : 0;
}

/// Returns a text that is equal for all hyper-threads of one core and differs between cores. If
/// sysfs does not tell the core, each hyper-thread counts as a core.
std::string siblings_of(const fs::path& cpus, int cpu) {
  const fs::path topology = cpus / ("cpu" + std::to_string(cpu)) / "topology";
  for (const char* name : {"core_cpus_list", "thread_siblings_list"})
    if (std::string text = line_of(topology / name); !text.empty()) return text;
  return std::to_string(cpu);
}

int count_cores(const fs::path& cpus, const std::vector<int>& list) {
  std::set<std::string> cores;
  for (const int cpu : list) cores.insert(siblings_of(cpus, cpu));
  return static_cast<int>(cores.size());
}

std::vector<CacheGeometry> read_caches(const fs::path& cpus) {
  constexpr int kMostCaches = 16;
  std::vector<CacheGeometry> caches;
  for (int index = 0; index < kMostCaches; ++index) {
    const fs::path folder = cpus / "cpu0" / "cache" / ("index" + std::to_string(index));
    const std::string type = line_of(folder / "type");
    if (type != "Data" && type != "Unified") continue;
    CacheGeometry cache{.level = small_number_of(folder / "level"),
                        .capacity_bytes = size_of(line_of(folder / "size")),
                        .line_bytes = small_number_of(folder / "coherency_line_size"),
                        .ways = small_number_of(folder / "ways_of_associativity")};
    cache.shared_by_cores = count_cores(cpus, parse_cpu_list(line_of(folder / "shared_cpu_list")));
    if (cache.level > 0 && cache.capacity_bytes > 0) caches.push_back(cache);
  }
  std::ranges::sort(caches, {}, &CacheGeometry::level);
  return caches;
}

ReportedClock kilohertz(const fs::path& file, const fs::path& root) {
  const double hertz = static_cast<double>(number_of(line_of(file))) * kHertzPerKilohertz;
  return {hertz, std::string("/").append(file.lexically_relative(root).string())};
}

ReportedClock cpuinfo_clock(const fs::path& root) {
  std::ifstream stream(root / "proc/cpuinfo");
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with("cpu MHz")) continue;
    const std::size_t first = line.find_first_of("0123456789");
    double megahertz = 0;
    if (first != std::string::npos)
      std::from_chars(line.data() + first, line.data() + line.size(), megahertz);
    return {megahertz * kHertzPerMegahertz, "/proc/cpuinfo"};
  }
  return {};
}

CacheGeometry geometry(hwloc_obj_t object) {
  const auto& cache = object->attr->cache;
  return {.level = static_cast<int>(cache.depth),
          .capacity_bytes = static_cast<std::int64_t>(cache.size),
          .line_bytes = static_cast<int>(cache.linesize),
          // hwloc reports -1 for a fully associative cache.
          .ways = std::max(0, cache.associativity)};
}

}  // namespace

std::vector<int> parse_cpu_list(const std::string& text) {
  std::vector<int> cpus;
  const char* at = text.data();
  const char* const end = at + text.size();
  int first = 0;
  const auto read = [&](int& number) {
    const auto result = std::from_chars(at, end, number);
    at = result.ptr;
    return result.ec == std::errc() && number >= 0 && number < kMostCpus;
  };
  while (read(first)) {
    int last = first;
    if (at != end && *at == '-') {
      ++at;
      if (!read(last)) break;
    }
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
    if (at == end || *at++ != ',') break;
  }
  return cpus;
}

HostTopology read_topology(const fs::path& root) {
  const fs::path cpus = root / "sys/devices/system/cpu";
  const fs::path frequency = cpus / "cpu0" / "cpufreq";
  return {.cores = count_cores(cpus, parse_cpu_list(line_of(cpus / "online"))),
          .base = kilohertz(frequency / "base_frequency", root),
          .highest = kilohertz(frequency / "cpuinfo_max_freq", root),
          .current = cpuinfo_clock(root),
          .caches = read_caches(cpus)};
}

std::vector<CacheGeometry> read_hwloc_caches() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return {};
  const std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, decltype(&hwloc_topology_destroy)>
      topology(raw, &hwloc_topology_destroy);
  if (hwloc_topology_load(raw) != 0) return {};
  std::vector<CacheGeometry> caches;
  hwloc_obj_t object = hwloc_get_obj_by_type(raw, HWLOC_OBJ_PU, 0);
  for (; object != nullptr; object = object->parent)
    if (hwloc_obj_type_is_dcache(object->type) != 0) caches.push_back(geometry(object));
  return caches;
}

std::size_t available_memory() {
  constexpr std::size_t kKibi = 1024;
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  for (std::size_t kibibytes = 0; file >> name >> kibibytes && std::getline(file, unit);)
    if (name == "MemAvailable:") return kibibytes * kKibi;
  return 0;
}

}  // namespace tileplan
