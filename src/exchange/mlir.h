// SPDX-License-Identifier: Apache-2.0
// Writes schedules as transform-dialect scripts for mlir-opt 19.
#pragma once

#include <optional>
#include <string>

#include "computation.h"

namespace tileplan {

/// Returns why linalg has no named operation for `computation`: groups, batches, depth, or several
/// loops of one role in a product. Returns nothing when it has one.
std::optional<std::string> why_no_mlir(const Computation& computation);

/// Returns why transforms cannot say `schedule`: packing, or vectors that the channels do not fill.
/// Returns nothing when they can.
std::optional<std::string> why_no_mlir(const Schedule& schedule, const Computation& computation,
                                       int lanes);

/// Returns a module with the operation on tensors (linalg.conv_2d_nhwc_hwcf with a padded input, or
/// linalg.matmul) and the transforms that tile it as `schedule` does: tile_using_for per loop,
/// tile_using_forall for parallel ones, split for a lambda. Then the register tile is unrolled to
/// one row and vectorised. Run it with --transform-interpreter. Requires that there is no reason
/// against it.
std::string mlir_module(const Schedule& schedule, const Computation& computation, int lanes);

}  // namespace tileplan
