// SPDX-License-Identifier: Apache-2.0
// Declares the defaults for numbers that were neither detected nor calibrated.
#pragma once

#include <utility>

#include "tileplan/machine.h"

namespace tileplan {

inline constexpr const char* kMicroarchitectureFile = "microarchitectures.json";

/// The models of one family that share a microarchitecture; ranges are inclusive.
struct CpuModels {
  std::string vendor;
  int family = 0;
  std::vector<std::pair<int, int>> models;
};

/// A cache whose sizes replace missing reports. Bandwidths scale with the clock.
struct CacheDefault {
  CacheLevel level;  ///< name, sizes, victim, usable, source; no bandwidths
  double fill_bytes_per_cycle = 0;
  double write_bytes_per_cycle = 0;
};

struct Microarchitecture {
  std::string name;
  std::vector<CpuModels> cpus;       ///< empty: any processor
  std::vector<VectorUnit> vectors;   ///< best first
  std::optional<VectorUnit> narrow;  ///< beside AVX-512: Machine::narrow
  std::vector<CacheDefault> caches;  ///< innermost first
  double hertz = 0;                  ///< when the host reports no clock
  double overlap_exponent = 4;
  int prefetch_steps = 0;
  std::vector<std::string> notes;  ///< what cpuid cannot tell
};

/// Parses the table. Throws Error with `origin`, the field and the rule.
std::vector<Microarchitecture> parse_microarchitectures(const std::string& text,
                                                        const std::string& origin);

const std::vector<Microarchitecture>& microarchitectures();

/// A microarchitecture, the best of its vector units that the host can use, and its narrow unit.
struct Core {
  const Microarchitecture& microarchitecture;
  const VectorUnit& vector;
  std::optional<VectorUnit> narrow;
};

/// Returns the first entry of the table that lists the signature (or any processor) and has a
/// vector unit for the ISA. Requires: `best` is avx2 or avx512; a host with avx512 can use both.
Core core_of(const CpuSignature& cpu, Isa best);

}  // namespace tileplan
