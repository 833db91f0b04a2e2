// SPDX-License-Identifier: Apache-2.0
// Derives the fields of a computation that follow from its names, extents and tensors.
#pragma once

#include "product.h"

namespace tileplan {

/// Sets `roles` from the dims that each tensor has.
void set_roles(Computation& computation);

/// Sets `domain`, `relations` and `roles` again after dims were changed.
void derive_fields(Computation& computation);

}  // namespace tileplan
