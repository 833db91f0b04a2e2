// SPDX-License-Identifier: Apache-2.0
// This file merges the reports of several sources about this host, replaces missing values by
// defaults, and compares machines with hosts.
#include "machine_detect.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "microarchitecture.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

std::string text_of(const CpuSignature& cpu) {
  return (cpu.vendor.empty() ? "no cpuid" : cpu.vendor) + " " + std::to_string(cpu.family) + "/" +
         std::to_string(cpu.model) + "/" + std::to_string(cpu.stepping);
}

std::string gigahertz(double hertz) {
  constexpr double kHertzPerGigahertz = 1e9;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f GHz", hertz / kHertzPerGigahertz);
  return text.data();
}

/// Returns the base clock if it is known, because it does not change between readings, and
/// otherwise the highest or else the current clock. Without any of them, the clock has 0 hertz.
ReportedClock nominal_clock(const HostReport& host) {
  const ReportedClock leaf{host.cpu.base_hertz, "cpuid leaf 0x16"};
  for (const ReportedClock& clock :
       {host.system.base, leaf, host.system.highest, host.system.current})
    if (clock.hertz > 0) return clock;
  return {};
}

void set_clock(const HostReport& host, const Microarchitecture& core, Machine& machine) {
  const ReportedClock clock = nominal_clock(host);
  machine.clock.nominal_hertz = clock.hertz;
  machine.clock.hertz = clock.hertz > 0 ? clock.hertz : core.hertz;
  const std::string source = clock.hertz > 0 ? clock.source : "default of " + core.name;
  machine.provenance.source += ", clock: " + source;
  std::string note = "clock: " + gigahertz(machine.clock.hertz) + " (" + source + ")";
  if (host.cpu.virtual_machine) note += ", which a hypervisor chooses";
  machine.provenance.notes.push_back(note +
                                     "; not measured, so the peak is not either until calibrated");
}

struct CacheReport {
  const char* source;
  const CacheGeometry* cache;
};

/// Returns the reports on one cache level. The report of sysfs is first, because the operating
/// system itself uses it.
std::vector<CacheReport> cache_reports(const HostReport& host, int level) {
  std::vector<CacheReport> result;
  const auto add = [&](const char* source, const std::vector<CacheGeometry>& caches) {
    const auto found = std::ranges::find(caches, level, &CacheGeometry::level);
    if (found != caches.end()) result.push_back({source, &*found});
  };
  add("sysfs", host.system.caches);
  add("hwloc", host.hwloc);
  add("cpuid", host.cpu.caches);
  return result;
}

/// Sets `value` to `field` of the first report that has this field. Otherwise leaves `value`
/// unchanged.
template <class Field, class Value>
void take_reported(const std::vector<CacheReport>& reports, Field field, Value& value) {
  const auto first = std::ranges::find_if(
      reports, [&](const CacheReport& report) { return report.cache->*field > 0; });
  if (first != reports.end()) value = first->cache->*field;
}

std::string text_of(const CacheGeometry& cache) {
  return std::to_string(cache.capacity_bytes) + " bytes, " + std::to_string(cache.ways) + "-way";
}

bool differ(const CacheGeometry& a, const CacheGeometry& b) {
  return a.capacity_bytes != b.capacity_bytes || (a.ways != b.ways && a.ways > 0 && b.ways > 0);
}

void note_disagreements(const std::string& name, const std::vector<CacheReport>& reports,
                        std::vector<std::string>& notes) {
  for (std::size_t i = 1; i < reports.size(); ++i)
    if (differ(*reports[0].cache, *reports[i].cache))
      notes.push_back(name + ": " + reports[0].source + " says " + text_of(*reports[0].cache) +
                      ", " + reports[i].source + " says " + text_of(*reports[i].cache) + "; " +
                      reports[0].source + " is used");
}

CacheLevel cache_of(const HostReport& host, int level, const CacheDefault& otherwise,
                    Machine& machine) {
  CacheLevel cache = otherwise.level;
  const std::vector<CacheReport> reports = cache_reports(host, level);
  cache.rate_source = "default of the microarchitecture, not measured here: " + cache.source;
  cache.fill_bytes_per_second = otherwise.fill_bytes_per_cycle * machine.clock.hertz;
  cache.write_bytes_per_second = otherwise.write_bytes_per_cycle * machine.clock.hertz;
  cache.shared_by_cores = std::min(cache.shared_by_cores, machine.cores);
  if (reports.empty()) {
    machine.provenance.notes.push_back(cache.name +
                                       ": neither sysfs, hwloc nor cpuid reports it; default of " +
                                       std::to_string(cache.capacity_bytes) + " bytes");
    return cache;
  }
  note_disagreements(cache.name, reports, machine.provenance.notes);
  take_reported(reports, &CacheGeometry::capacity_bytes, cache.capacity_bytes);
  take_reported(reports, &CacheGeometry::line_bytes, cache.line_bytes);
  take_reported(reports, &CacheGeometry::ways, cache.ways);
  take_reported(reports, &CacheGeometry::shared_by_cores, cache.shared_by_cores);
  cache.source = std::string(reports[0].source) +
                 "; victim or not, hashed or not: default of the microarchitecture";
  return cache;
}

void set_caches(const HostReport& host, const Microarchitecture& core, Machine& machine) {
  for (std::size_t i = 0; i < core.caches.size(); ++i)
    machine.caches.push_back(cache_of(host, static_cast<int>(i) + 1, core.caches[i], machine));
  if (host.cpu.virtual_machine)
    machine.provenance.notes.push_back(
        "virtual machine: the last cache may be shared with other tenants; how much "
        "of it is usable is known only after calibration");
}

/// Adds the tiles of AMX, which count as one FMA unit because a tdpbusd multiplies 16 rows in 16
/// cycles. Measured rates and peaks replace this estimate.
void set_tiles(const HostCpu& cpu, Machine& machine) {
  if (cpu.tiles_refused)
    machine.provenance.notes.emplace_back(
        "AMX is not used: the operating system does not permit its tiles to this process");
  if (!cpu.tiles.integers && !cpu.tiles.bf16) return;
  VectorUnit unit = machine.vector;
  unit.isa = Isa::amx;
  unit.dots = cpu.tiles;
  unit.registers = 8;
  unit.fma_units = 1;
  unit.fma_latency = 1;  // A step of 16 rows takes 16 cycles, so few steps wait for the one before.
  unit.source = "cpuid; 16 rows take 16 cycles by Intel's optimization manual";
  machine.tiles = unit;
}

}  // namespace

Machine machine_of(const HostReport& host) {
  const HostCpu& cpu = host.cpu;
  if (!cpu.avx2)
    throw Error(
        "this host (" + text_of(cpu.signature) +
        ") has no AVX2 and FMA that the operating system enables; name a machine file instead");
  const Core core = core_of(cpu.signature, cpu.avx512 ? Isa::avx512 : Isa::avx2);
  Machine machine;
  machine.name = (cpu.brand.empty() ? cpu.signature.vendor : cpu.brand) + " (" +
                 core.microarchitecture.name + ")";
  machine.cpu = cpu.signature;
  machine.cores = std::max(1, host.system.cores);
  machine.vector = core.vector;
  // Vectors multiply strips of bf16 and bytes by instructions of AVX-512 only.
  if (core.vector.isa == Isa::avx512) machine.vector.dots = cpu.dots;
  if (core.narrow) machine.narrow = NarrowUnit{.vector = *core.narrow};
  if (core.narrow && core.narrow->isa == Isa::avx512vl) machine.narrow->vector.dots = cpu.dots;
  set_tiles(cpu, machine);
  machine.rates.overlap_exponent = core.microarchitecture.overlap_exponent;
  machine.rates.prefetch_steps = core.microarchitecture.prefetch_steps;
  machine.provenance.source = "name: cpuid, cores: ";
  machine.provenance.source += host.system.cores > 0 ? "sysfs" : "not reported, 1 assumed";
  set_clock(host, core.microarchitecture, machine);
  set_caches(host, core.microarchitecture, machine);
  machine.provenance.notes.insert(machine.provenance.notes.end(),
                                  core.microarchitecture.notes.begin(),
                                  core.microarchitecture.notes.end());
  return machine;
}

std::optional<std::string> mismatch(const Machine& machine, const Machine& host) {
  constexpr double kClockTolerance = 0.05;  // Virtual machines report rounded clocks.
  if (machine.cpu != host.cpu)
    return "its cpuid signature is " + text_of(machine.cpu) + ", this host's is " +
           text_of(host.cpu);
  const bool runs = machine.vector.isa == host.vector.isa ||
                    (machine.vector.isa != Isa::neon && host.vector.isa == Isa::avx512);
  if (!runs)
    return "its ISA is " + to_string(machine.vector.isa) + ", this host's is " +
           to_string(host.vector.isa);
  if (machine.tiles && !host.tiles)
    return "it has AMX, which this host lacks or its operating system does not permit";
  const double ratio = machine.clock.nominal_hertz / host.clock.nominal_hertz;
  const bool known = machine.clock.nominal_hertz > 0 && host.clock.nominal_hertz > 0;
  if (known && (ratio > 1 + kClockTolerance || ratio < 1 - kClockTolerance))
    return "its nominal clock is " + gigahertz(machine.clock.nominal_hertz) + ", this host's is " +
           gigahertz(host.clock.nominal_hertz) + ", so their peaks differ";
  return std::nullopt;
}

std::optional<std::string> host_mismatch(const Machine& machine) {
  try {
    return mismatch(machine, machine_of({read_cpu(), read_topology("/"), {}}));
  } catch (const Error& error) {
    return error.what();
  }
}

Machine detect_machine() {
  Machine detected = machine_of({read_cpu(), read_topology("/"), read_hwloc_caches()});
  try {
    return with_calibration(detected, machine_cache_path());
  } catch (const Error& error) {
    detected.provenance.notes.emplace_back(error.what());
    return detected;
  }
}

}  // namespace tileplan
