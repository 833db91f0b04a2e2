// SPDX-License-Identifier: Apache-2.0
// Instruction sets that kernels are planned for.
#pragma once

#include <optional>
#include <string>

namespace tileplan {

enum class Isa {
  avx2,
  avx512,
  avx512vl,  ///< AVX-512 in registers of 256 bits: 32 of them, with masks
  neon,
};

/// "avx2", "avx512", "avx512vl", "neon".
std::string to_string(Isa isa);

/// The set of that name; nothing for any other text.
std::optional<Isa> parse_isa(const std::string& text);

}  // namespace tileplan
