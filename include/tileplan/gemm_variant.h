// SPDX-License-Identifier: Apache-2.0
// The variants of the GEMM family are loop orders of a packed matrix product. Their names tell
// which operand stays in each cache level.
#pragma once

#include <cstdint>
#include <string>

#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Names the six ways to order the loops of C += A B. The letter before 3 names the operand that
/// stays in the third-level cache, the letter before 2 the one in the second-level cache, and the
/// letter before 0 the one in registers. The loops around a register tile are listed below,
/// outermost first. The loop jc steps by nc columns, ic by mc rows, pc by kc summands, and jr, ir
/// and pr step by the sizes of the register tile:
///   - b3a2c0: jc pc ic jr ir
///   - a3b2c0: ic pc jc ir jr
///   - b3c2a0: jc pc ic pr ir
///   - a3c2b0: ic pc jc pr jr
///   - c3b2a0: jc ic pc ir pr
///   - c3a2b0: jc ic pc jr pr
enum class GemmVariant { b3a2c0, a3b2c0, b3c2a0, a3c2b0, c3b2a0, c3a2b0 };

/// Returns the name in capitals, such as "B3A2C0".
std::string to_string(GemmVariant variant);
/// Returns the variant that `text` names, in capital or small letters. Throws Error with the value
/// and the known names.
GemmVariant parse_gemm_variant(const std::string& text);

/// Holds the block sizes of a packed matrix product, in elements. Blocks have mc rows, nc columns
/// and kc summands, and a register tile has mr x nr elements of C.
struct GemmBlocks {
  std::int64_t mc = 0, nc = 0, kc = 0;
  std::int64_t mr = 0, nr = 0;

  bool operator==(const GemmBlocks&) const = default;
};

}  // namespace tileplan
