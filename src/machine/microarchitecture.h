// SPDX-License-Identifier: Apache-2.0
// A microarchitecture has defaults for numbers that were neither detected nor calibrated.
#pragma once

#include <utility>

#include "tileplan/machine.h"

namespace tileplan {

inline constexpr const char* kMicroarchitectureFile = "microarchitectures.json";

/// Lists the models of one family that share a microarchitecture. Ranges are inclusive.
struct CpuModels {
  std::string vendor;
  int family = 0;
  std::vector<std::pair<int, int>> models;
};

/// Describes a cache whose sizes replace missing reports. Bandwidths scale with the clock.
struct CacheDefault {
  CacheLevel level;  ///< It has no bandwidths.
  double fill_bytes_per_cycle = 0;
  double write_bytes_per_cycle = 0;
};

struct Microarchitecture {
  std::string name;
  std::vector<CpuModels> cpus;       ///< An empty list means any processor.
  std::vector<VectorUnit> vectors;   ///< The best is first.
  std::optional<VectorUnit> narrow;  ///< It is Machine::narrow of hosts with AVX-512.
  std::vector<CacheDefault> caches;  ///< The innermost is first.
  double hertz = 0;                  ///< It counts when the host reports no clock.
  double overlap_exponent = 4;
  int prefetch_steps = 0;
  std::vector<std::string> notes;  ///< They say what cpuid cannot tell.
};

/// Parses the table. Throws Error with `origin`, the field and the rule.
std::vector<Microarchitecture> parse_microarchitectures(const std::string& text,
                                                        const std::string& origin);

const std::vector<Microarchitecture>& microarchitectures();

/// Holds a microarchitecture and the best of its vector units that the host can use.
struct Core {
  const Microarchitecture& microarchitecture;
  const VectorUnit& vector;
  std::optional<VectorUnit> narrow;
};

/// Returns the first entry of the table that lists the signature (or any processor) and has a
/// vector unit for the ISA. Requires that `best` is avx2 or avx512. Hosts with avx512 use both.
Core core_of(const CpuSignature& cpu, Isa best);

}  // namespace tileplan
