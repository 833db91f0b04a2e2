// SPDX-License-Identifier: Apache-2.0
// Each block of weights is a box whose innermost axis is that of the channels, and whose other axes
// are those of the reduction steps and of the loops outside the blocks.
#include "packed_weights.h"

#include <utility>

namespace tileplan {
namespace {

class Planner {
 public:
  Planner(const Computation& computation, const TensorLayout& plain, const WeightsOrder& order)
      : weights_(computation.tensor(Operand::weights)), plain_(plain), order_(order) {}

  /// Returns the copy of a block of `channels` channels. With `cut`, its last channels may lie
  /// outside the tensor.
  BoxCopy block_copy(std::int64_t channels, bool cut) const {
    BoxCopy copy;
    copy.bytes = weights_.element_bytes();
    for (const Repeat& outer : order_.outer)
      copy.axes.push_back(axis(outer, order_.distance(outer.dim, 1)));
    std::int64_t rows = order_.steps();
    for (const Repeat& loop : order_.loops) {
      rows /= loop.count;
      copy.axes.push_back(axis(loop, rows * channels));
    }
    copy.axes.push_back(axis({order_.blocked, channels, 1}, 1));
    if (cut) {
      copy.axes.back().guard = 0;
      copy.axes.back().extent = order_.extent;
      copy.axes.back().zeroed = true;
    }
    choose_loops(copy);
    return copy;
  }

  /// Returns the distance in elements between the weights of consecutive iterations of `loop`.
  std::int64_t step(const Repeat& loop) const {
    Tile next;
    next[loop.dim] = loop.step;
    return offset_distance(weights_, plain_, next);
  }

 private:
  /// Returns the axis of `loop`, whose iterations are `apart` elements apart in the box.
  BoxCopy::Axis axis(const Repeat& loop, std::int64_t apart) const {
    BoxCopy::Axis axis;
    const std::int64_t from = step(loop);
    for (std::int64_t i = 0; i < loop.count; ++i) {
      axis.index.push_back(i);
      axis.from.push_back(i * from);
      axis.to.push_back(i * apart);
    }
    return axis;
  }

  const TensorAccess& weights_;
  const TensorLayout& plain_;
  const WeightsOrder& order_;
};

}  // namespace

WeightsCopy plan_weights_copy(const Computation& computation, const TensorLayout& plain,
                              const WeightsOrder& order, Dim vectorised) {
  const Planner planner(computation, plain, order);
  const std::int64_t bytes = computation.tensor(Operand::weights).element_bytes();
  const std::int64_t channel = planner.step({order.blocked, 1, 1});
  WeightsCopy copy{.blocks = {},
                   .groups = order.groups(),
                   .group = bytes * order.distance(order.blocked, order.group)};
  for (const std::int64_t channels : order.group_blocks()) {
    if (!copy.blocks.empty() && copy.blocks.back().channels == channels) {
      ++copy.blocks.back().count;
      continue;
    }
    copy.blocks.push_back({.channels = channels,
                           .from = bytes * channels * channel,
                           .to = bytes * channels * order.steps(),
                           .copy = planner.block_copy(channels, order.blocked == vectorised)});
  }
  return copy;
}

void copy_weights(const WeightsCopy& copy, const char* from, char* to, std::int64_t channel) {
  for (std::int64_t group = 0; group < copy.groups; ++group, to += copy.group) {
    char* block = to;
    for (const WeightsCopy::Blocks& blocks : copy.blocks)
      for (std::int64_t i = 0; i < blocks.count; ++i) {
        copy_box(blocks.copy, from, block, {channel});
        from += blocks.from;
        block += blocks.to;
        channel += blocks.channels;
      }
  }
}

}  // namespace tileplan
