// SPDX-License-Identifier: Apache-2.0
// This file names the variant of a gemm schedule and shows which blocks its caches hold.
#pragma once

#include <string>

#include "nest.h"
#include "tileplan/explain.h"
#include "tileplan/text.h"

namespace tileplan {

/// Returns the variant and the blocks of `nest`, the blocks of the closed form, and the shares that
/// both take of the first three caches of `machine`. Without caches, only the variant and the
/// blocks of `nest` are set. Requires the computation of a gemm, and a nest of its schedule.
GemmExplanation explain_gemm(const Computation& computation, const Nest& nest,
                             const Machine& machine);

/// Returns the lines and the table that `tileplan explain` prints about a gemm.
std::string gemm_text(const GemmExplanation& gemm, TextStyle style);

}  // namespace tileplan
