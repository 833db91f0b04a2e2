// SPDX-License-Identifier: Apache-2.0
// The isl text of a computation whose dims were changed.
#pragma once

#include "computation.h"

namespace tileplan {

/// Sets `domain` and `relations` of `computation` to what its names, extents and tensors say.
void write_relations(Computation& computation);

}  // namespace tileplan
