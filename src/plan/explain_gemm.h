// SPDX-License-Identifier: Apache-2.0
// This file names the variant of a gemm schedule and tells which share of a cache each block takes.
#pragma once

#include <string>

#include "nest.h"
#include "tileplan/explain.h"
#include "tileplan/text.h"

namespace tileplan {

/// Returns the variant and the blocks of `nest`, the blocks of the closed form, and the shares that
/// both take of the first three caches of `machine`. A nest of no variant is compared as if it were
/// B3A2C0. Without caches, only the variant, or the reason why there is none, and the blocks of
/// `nest` are set. Requires the computation of a gemm, and a nest of its schedule.
GemmExplanation explain_gemm(const Computation& computation, const Nest& nest,
                             const Machine& machine);

/// Returns the lines and the table that `tileplan explain` prints about a gemm.
std::string gemm_text(const GemmExplanation& gemm, TextStyle style);

}  // namespace tileplan
