// SPDX-License-Identifier: Apache-2.0
// Refuses nests that cannot be compiled for any instruction set.
#pragma once

#include "computation.h"
#include "nest.h"

namespace tileplan {

/// Throws Error naming the dim when `nest` has a list of blocks (L) of a dim that is summed over, a
/// register tile of several groups or channels that are not its vectors, or vectors of pixels that
/// read padding of an input that is not `packed`.
void check_nest(const Computation& computation, const Nest& nest, bool packed);

}  // namespace tileplan
