// SPDX-License-Identifier: Apache-2.0
// Writes the register tile of emitted C, local accumulators around the reduction loops.
#pragma once

#include "emit_index.h"

namespace tileplan {

/// One register tile inside the loops.
struct TileSite {
  Tile base{};
  Indices at;       ///< where its first iteration is
  Indices box_at;   ///< where the packed box around it begins, when the input is packed
  LinearText step;  ///< reduction steps done outside the call
};

/// Writes accumulators, reduction loops and stores. Throws Error for tiles that have no such form.
void emit_tile(CWriter& out, const EmitContext& context, const TileSite& site);

}  // namespace tileplan
