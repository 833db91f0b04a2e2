// SPDX-License-Identifier: Apache-2.0
// This file packs weights in the order in which a loop tree reads them.
#pragma once

#include <vector>

#include "strips.h"
#include "weights_order.h"

namespace tileplan {

/// Describes how weights are packed. `loops` is the result of in_strips(elements, types).
struct WeightsPacking {
  const Computation& elements;
  const Computation& loops;
  const LoopTypes& types;
  const WeightsOrder& order;
};

/// Fills `packed` from `weights`, which have the plain layout of `elements`. Channels beyond the
/// extent and elements beyond the last strip become zero. Requires: `packed` has room for
/// order.elements() strips.
void pack_weights(const WeightsPacking& packing, const char* weights, char* packed);

/// Returns what must be added to the sums of each output channel because bits of the input are
/// inverted, in the layout bias_layout(loops, true), or an empty list when none are. An inverted
/// input is 128 larger (s8) or smaller (u8), so the sum of the weights times 128 is subtracted or
/// added, modulo 2^32.
std::vector<std::int32_t> corrections_of(const WeightsPacking& packing, const char* weights);

}  // namespace tileplan
