// SPDX-License-Identifier: Apache-2.0
// Schedules as transform-dialect scripts for mlir-opt 19.
#pragma once

#include <optional>
#include <string>

#include "computation.h"

namespace tileplan {

/// Why linalg has no named operation for `computation`: groups, batches, depth, several loops
/// of one part in a product.
std::optional<std::string> why_no_mlir(const Computation& computation);

/// Why transforms cannot say `schedule`: packing, and vectors that the channels do not fill.
std::optional<std::string> why_no_mlir(const Schedule& schedule, const Computation& computation,
                                       int lanes);

/// A module with the operation on tensors (linalg.conv_2d_nhwc_hwcf with a padded input,
/// linalg.matmul) and the sequence that tiles it as `schedule` does: one
/// tile_using_for per loop, tile_using_forall for parallel ones, split for a lambda, then the
/// register tile unrolled to one row and vectorised. Run it with --transform-interpreter.
/// Requires: no reason against it.
std::string mlir_module(const Schedule& schedule, const Computation& computation, int lanes);

}  // namespace tileplan
