// SPDX-License-Identifier: Apache-2.0
// The macros at the head of an emitted file hide what differs between instruction sets.
#pragma once

#include "emit_index.h"
#include "target.h"

namespace tileplan {

/// Writes the vector type, and how vectors are loaded, broadcast and stored.
void emit_macros(CWriter& out, const EmitContext& context, const TargetRow& row);

}  // namespace tileplan
