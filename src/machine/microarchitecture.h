// SPDX-License-Identifier: Apache-2.0
// This file holds default numbers per microarchitecture. They replace numbers that are neither
// detected nor calibrated.
#pragma once

#include <utility>

#include "tileplan/machine.h"

namespace tileplan {

inline constexpr const char* kMicroarchitectureFile = "microarchitectures.json";

/// Lists models of one CPU family that share a microarchitecture. Ranges are inclusive.
struct CpuModels {
  std::string vendor;
  int family = 0;
  std::vector<std::pair<int, int>> models;
};

/// Describes a cache by defaults. Sizes that a host reports replace those of `level`. Bandwidths
/// scale with the clock.
struct CacheDefault {
  /// Describes the cache; its bandwidths are not set.
  CacheLevel level;
  double fill_bytes_per_cycle = 0;
  double write_bytes_per_cycle = 0;
};

struct Microarchitecture {
  std::string name;
  std::vector<CpuModels> cpus;       ///< Lists the processors; an empty list matches any processor.
  std::vector<VectorUnit> vectors;   ///< Lists the vector units, best first.
  std::optional<VectorUnit> narrow;  ///< Describes Machine::narrow of hosts with AVX-512.
  std::vector<CacheDefault> caches;  ///< Lists the caches, innermost first.
  /// Gives the clock for hosts that report none.
  double hertz = 0;
  double overlap_exponent = 4;
  int prefetch_steps = 0;
  std::vector<std::string> notes;  ///< Lists properties that cpuid cannot report.
};

/// Parses the table. Throws Error with the file name `origin` when `text` is not JSON, or with the
/// field and the rule when a field is missing, unknown or invalid.
std::vector<Microarchitecture> parse_microarchitectures(const std::string& text,
                                                        const std::string& origin);

const std::vector<Microarchitecture>& microarchitectures();

/// Holds a microarchitecture and the best of its vector units that the host supports. `narrow` is
/// empty unless this unit is that of AVX-512.
struct Core {
  const Microarchitecture& microarchitecture;
  const VectorUnit& vector;
  std::optional<VectorUnit> narrow;
};

/// Returns the first entry of the table that matches the signature and has a vector unit for an ISA
/// of the host. Requires that `best` is avx2 or avx512; a host with avx512 also has avx2.
Core core_of(const CpuSignature& cpu, Isa best);

}  // namespace tileplan
