// SPDX-License-Identifier: Apache-2.0
// This header names the instruction sets that kernels are planned for.
#pragma once

#include <optional>
#include <string>

#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

enum class Isa {
  avx2,      ///< AVX2 with FMA has 16 registers of 256 bits.
  avx512,    ///< AVX-512 has 32 registers of 512 bits, with masks.
  avx512vl,  ///< AVX-512VL has 32 registers of 256 bits, with masks.
  neon,      ///< AArch64 has 32 registers of 128 bits.
  /// AMX has 8 tile registers of 16 rows of 64 bytes, in addition to the registers of AVX-512.
  amx,
};

/// Returns "avx2", "avx512", "avx512vl", "neon" or "amx", or "unknown ISA" for any other value.
std::string to_string(Isa isa);

/// Returns the instruction set that `text` names, or nothing when there is none of that name.
std::optional<Isa> parse_isa(const std::string& text);

}  // namespace tileplan
