// SPDX-License-Identifier: Apache-2.0
// This file refuses nests for which no kernel can be generated on any instruction set.
#pragma once

#include "computation.h"
#include "nest.h"

namespace tileplan {

/// Throws Error that names the dimension when `nest` has (1) a list of blocks (L) of a reduction
/// dimension, (2) a register tile of several iterations of a batch or channel dimension other than
/// the vectorised one and weights_dim(), (3) vectors of pixels that read padding of an input that
/// is not `packed`, or (4) vectors along a dimension that neither the input nor the weights have.
void check_nest(const Computation& computation, const Nest& nest, bool packed);

}  // namespace tileplan
