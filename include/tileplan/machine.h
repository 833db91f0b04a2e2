// SPDX-License-Identifier: Apache-2.0
// A machine as data: caches, vector unit, microkernel rates; what was detected and what was measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tileplan {

enum class Isa { avx2, avx512, neon };

/// "avx2", "avx512", "neon".
std::string to_string(Isa isa);

/// cpuid signature; `vendor` is empty for machines without cpuid (AArch64).
struct CpuSignature {
  std::string vendor;  ///< "GenuineIntel"
  int family = 0, model = 0, stepping = 0;

  bool operator==(const CpuSignature&) const = default;
};

/// One cache. Bandwidths are of the link that fills this level from the next one (the last level is
/// filled from memory), one core, bytes per second.
struct CacheLevel {
  std::string name;                ///< "L1", "L2", "L3"
  std::int64_t capacity_bytes = 0;
  std::int64_t line_bytes = 64;
  int ways = 8;
  int shared_by_cores = 1;
  bool victim = false;             ///< holds what the level below evicted, not a copy of it
  double usable = 1.0;             ///< share of the capacity that the model plans with (phi)
  double fill_bytes_per_second = 0;
  double write_bytes_per_second = 0;
  std::string source;              ///< where the numbers come from

  bool operator==(const CacheLevel&) const = default;
};

/// The f32 vector unit of one core (model.md 8.1: nFMA, nLD, nST, nISS, L).
struct VectorUnit {
  Isa isa = Isa::avx512;
  int lanes = 16;              ///< f32 elements per register
  int registers = 32;
  int fma_units = 2;
  int load_ports = 2;          ///< full-width loads per cycle
  int store_ports = 1;         ///< full-width stores per cycle
  int issue_width = 4;         ///< fused operations per cycle
  double fma_latency = 4;      ///< cycles
  std::string source;

  bool operator==(const VectorUnit&) const = default;
};

/// Measured rate of one register tile: time(steps) = cycles_per_call + steps * cycles_per_step.
struct KernelRate {
  int pixels = 0;              ///< rows of the tile (outputs that share the weights)
  int vectors = 0;             ///< vectors of output channels
  double cycles_per_step = 0;  ///< one reduction step
  double cycles_per_call = 0;  ///< loading or clearing, storing the tile, loop entry

  bool operator==(const KernelRate&) const = default;
};

struct Machine {
  std::string name;
  CpuSignature cpu;
  int cores = 1;
  double hertz = 0;                 ///< clock that the rates below are expressed in
  VectorUnit vector;
  std::vector<CacheLevel> caches;   ///< innermost first
  double overlap_exponent = 4;      ///< rho of model.md 8.3: 1 = no overlap, large = roofline
  std::vector<KernelRate> kernels;  ///< empty: the throughput bound of the vector unit is used
  std::string calibrated;           ///< when and how; empty: never measured, defaults only
  std::string source;               ///< of the name, cores and clock
  std::vector<std::string> notes;   ///< e.g. what detection could not find out

  bool operator==(const Machine&) const = default;
};

/// Peak of one core, flop/s: 2 * lanes * fma_units * hertz.
double peak_flops(const Machine& machine);

/// This host: cpuid, sysfs and hwloc for what exists; the calibration of the user's cache directory
/// when its signature matches, defaults of the microarchitecture otherwise. Measures nothing.
/// Throws Error when the host has no AVX2 and FMA.
Machine detect_machine();

/// Reads a machine file, or the shipped one with that name ("xeon-gold-6130"). Throws Error with
/// the file, the field and the rule.
Machine load_machine(const std::string& path_or_name);

/// Writes `machine` as JSON, atomically. Throws Error.
void save_machine(const Machine& machine, const std::string& path);

/// Names of the shipped machine files.
std::vector<std::string> shipped_machines();

/// Where `calibrate` keeps this user's measurements: XDG_CACHE_HOME or HOME.
std::string machine_cache_path();

}  // namespace tileplan
