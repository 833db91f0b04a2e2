// SPDX-License-Identifier: Apache-2.0
// This file packs weights in the order in which a loop tree reads them, and sums weights for
// kernels that invert bits of the input.
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
/// extent become zero, and so do the elements of a strip beyond the last input channel. Requires:
/// `packed` has room for order.elements() strips.
void pack_weights(const WeightsPacking& packing, const char* weights, char* packed);

/// Returns the numbers that kernels which invert the highest bits of the input must add to the sums
/// of each output channel. Inverting makes an input of s8 larger by 128 and one of u8 smaller by
/// 128. The sum of the weights times 128 is therefore subtracted or added, modulo 2^32. The list
/// has the layout bias_layout(loops, true), and is empty when no bits are inverted.
std::vector<std::int32_t> corrections_of(const WeightsPacking& packing, const char* weights);

}  // namespace tileplan
