// SPDX-License-Identifier: Apache-2.0
// This file implements pack=weights@POS. It copies the plain weights that one iteration of loop POS
// reads into a box, in the order in which the microkernel calls of the iteration read them.
#pragma once

#include <cstdint>
#include <vector>

#include "packed_input.h"
#include "weights_order.h"

namespace tileplan {

/// Describes the copy of a box of weights. All groups of channels (WeightsOrder) have the same
/// blocks. Neighbouring blocks of equal size share one BoxCopy.
struct WeightsCopy {
  /// Describes `count` neighbouring blocks of `channels` channels.
  struct Blocks {
    std::int64_t count = 1, channels = 1;
    std::int64_t from = 0, to = 0;  ///< Neighbouring blocks are this far apart, in bytes.
    BoxCopy copy;                   ///< This copy packs one block.
  };
  std::vector<Blocks> blocks;  ///< Lists the blocks of one group.
  std::int64_t groups = 1;
  std::int64_t group = 0;  ///< Neighbouring groups in the box are this far apart, in bytes.
};

/// Plans the copy of plain weights with the layout `plain` to a box with the order `order`. The
/// microkernel that reads the box has vectors along `vectorised`.
WeightsCopy plan_weights_copy(const Computation& computation, const TensorLayout& plain,
                              const WeightsOrder& order, Dim vectorised);

/// Fills the box `to`, whose first weight is `from`. When vectors hold channels, the first channel
/// is `channel`, and channels beyond the last become zero without being read.
void copy_weights(const WeightsCopy& copy, const char* from, char* to, std::int64_t channel);

}  // namespace tileplan
