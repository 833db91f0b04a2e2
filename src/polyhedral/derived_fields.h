// SPDX-License-Identifier: Apache-2.0
// The fields of a computation that follow from its names, extents and tensors.
#pragma once

#include "computation.h"

namespace tileplan {

/// Sets `roles` to what the tensors say.
void set_roles(Computation& computation);

/// Sets `domain`, `relations` and `roles` to what the names, extents and tensors say, after dims
/// were changed.
void derive_fields(Computation& computation);

}  // namespace tileplan
