// SPDX-License-Identifier: Apache-2.0
// The GEMM family names loop orders of a packed matrix product by the operand that each level
// keeps.
#pragma once

#include <cstdint>
#include <string>

#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Names the six variants of C += A B. The operand before 3 stays in the third-level cache, the one
/// before 2 in the second-level cache and the one before 0 in registers. The loops around a
/// register tile are, outermost first, where jc steps by nc columns, jr by nr columns and so on:
///   - b3a2c0: jc pc ic jr ir
///   - a3b2c0: ic pc jc ir jr
///   - b3c2a0: jc pc ic pr ir
///   - a3c2b0: ic pc jc pr jr
///   - c3b2a0: jc ic pc ir pr
///   - c3a2b0: jc ic pc jr pr
enum class GemmVariant { b3a2c0, a3b2c0, b3c2a0, a3c2b0, c3b2a0, c3a2b0 };

/// Returns "B3A2C0" and so on.
std::string to_string(GemmVariant variant);
/// Returns the variant that `text` names, in capitals or not. Throws Error with the value and the
/// known names.
GemmVariant parse_gemm_variant(const std::string& text);

/// Holds the block sizes of a packed matrix product, in elements. A register tile has mr x nr
/// elements of C.
struct GemmBlocks {
  std::int64_t mc = 0, nc = 0, kc = 0;
  std::int64_t mr = 0, nr = 0;

  bool operator==(const GemmBlocks&) const = default;
};

}  // namespace tileplan
