// SPDX-License-Identifier: Apache-2.0
// Writes the function that orders the weights as the loops read them.
#pragma once

#include "emit_index.h"

namespace tileplan {

/// Writes the loops that copy `weights` to `packed`; elements outside the array are zero.
void emit_packing(CWriter& out, const EmitContext& context);

}  // namespace tileplan
