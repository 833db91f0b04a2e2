// SPDX-License-Identifier: Apache-2.0
// These functions find the variant (gemm_variant.h) whose loop order a gemm schedule has, and
// describe variants in words.
#pragma once

#include <optional>
#include <string>

#include "nest.h"
#include "tileplan/gemm_variant.h"

namespace tileplan {

/// Holds the loop order and the blocks of a gemm schedule, and the variant that has this order, if
/// any.
struct GemmOrder {
  std::optional<GemmVariant> variant = {};
  /// Lists the letters of the loops around the microkernel, such as "j k i j i". The innermost loop
  /// is left out if it is over k, because the microkernel runs it. Neighbouring loops of one letter
  /// are listed once. Loops of one trip, and outermost loops over the batch, are left out.
  std::string order = {};
  GemmBlocks blocks = {};
};

/// Returns the letter of `dim`: i for rows of C, j for columns, k for summands, or b for the batch.
/// In products that share A or B, the batch has the role of a channel or pixel dimension, so only
/// its name tells it apart.
char gemm_letter(const Computation& computation, Dim dim);

/// Returns the order of `nest`. The nest may lack any loop of a variant. Without the loop ic, jc or
/// pc, the block mc, nc or kc covers a whole extent. The innermost loops over i and j count as ir
/// and jr. If several variants fit, the first one is returned. Only the two variants that keep C in
/// registers are found, because all microkernels do so. Requires a gemm, and a nest of resolve().
GemmOrder gemm_order(const Computation& computation, const Nest& nest);

/// Returns true when `nest` has the order of `variant`. A nest that lacks loops may have the order
/// of several variants. Requires as gemm_order() does.
bool has_gemm_order(const Computation& computation, const Nest& nest, GemmVariant variant);

/// Returns the reason why no microkernel can keep the register operand of `variant` in registers,
/// or empty text for the variants with C in registers.
std::string why_no_microkernel(GemmVariant variant);

/// Returns the loops of `variant` around the microkernel, as in "jc pc ic jr ir".
std::string loops_text(GemmVariant variant);

}  // namespace tileplan
