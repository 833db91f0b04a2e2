// SPDX-License-Identifier: Apache-2.0
// The loops of a gemm schedule tell which of the six variants it is.
#pragma once

#include <optional>
#include <string>

#include "nest.h"
#include "tileplan/gemm_variant.h"

namespace tileplan {

/// Holds the blocks of a schedule and the variant whose loops it has.
struct GemmOrder {
  std::optional<GemmVariant> variant = {};
  /// This text lists the letters of the loops around the microkernel, such as "j k i j i".
  /// Neighbouring loops of one letter are listed once, and loops of one trip and of the batch are
  /// left out.
  std::string order = {};
  GemmBlocks blocks = {};
};

/// Returns i, j or k for the part that `dim` of a gemm plays, or b for a dim of the batch. In
/// products that share A, the batch has the role of a channel dim, so only its name tells it apart.
char gemm_letter(const Computation& computation, Dim dim);

/// Returns the order of `nest`. A variant may lack any of its loops, whose block is then a whole
/// extent. The loops over m and n that are nearest to the microkernel are ir and jr. If several
/// variants fit, the result is the first one. Microkernels keep C in registers, so only the two
/// variants that do so are found. Requires a gemm, and a nest of resolve().
GemmOrder gemm_order(const Computation& computation, const Nest& nest);

/// Returns the reason why no microkernel can keep the operand of `variant` in registers, or nothing
/// for the variants with C in registers.
std::string why_no_microkernel(GemmVariant variant);

/// Returns the loops of `variant` around the microkernel, as in "jc pc ic jr ir".
std::string loops_text(GemmVariant variant);

}  // namespace tileplan
