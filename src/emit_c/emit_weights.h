// SPDX-License-Identifier: Apache-2.0
// The emitted function that orders the weights as the loops read them.
#pragma once

#include <cstdint>
#include <vector>

#include "emit_index.h"

namespace tileplan {

/// Reduction loops of the nest at `from` and further in that do something, as they are executed.
std::vector<Repeat> run_loops(const EmitContext& context, std::size_t from);

/// Elements of the packed weights: the last vector is filled up with zeros.
std::int64_t packed_elements(const EmitContext& context);

/// Writes the loops that copy `weights` to `packed`, block by block, each with all its reduction
/// steps.
void emit_packing(CWriter& out, const EmitContext& context);

}  // namespace tileplan
