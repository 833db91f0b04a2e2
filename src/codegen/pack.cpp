// SPDX-License-Identifier: Apache-2.0
// Packing is index arithmetic: one offset per outer point, channel and reduction step, added up.
#include "pack.h"

#include <algorithm>

#include "runs.h"

namespace tileplan {

namespace {

/// Offset in the plain weights of every point of `loops`, outermost first.
std::vector<std::int64_t> offsets_of(const Computation& computation, const TensorLayout& layout,
                                     const std::vector<Repeat>& loops) {
  const TensorAccess& weights = computation.tensor(Operand::weights);
  std::vector<std::int64_t> offsets{0};
  offsets.reserve(static_cast<std::size_t>(point_count(loops)));
  for (const Repeat& loop : loops) {
    Tile next;
    next[loop.dim] = loop.step;
    const std::int64_t stride = element_offset(weights, layout, next, computation.dims());
    std::vector<std::int64_t> inner;
    inner.reserve(offsets.size() * static_cast<std::size_t>(loop.count));
    for (const std::int64_t offset : offsets)
      for (std::int64_t i = 0; i < loop.count; ++i) inner.push_back(offset + i * stride);
    offsets = std::move(inner);
  }
  return offsets;
}

struct ChannelBlock {
  std::int64_t channels = 0;
  std::int64_t real = 0;    ///< channels that exist; the others are zero
  std::int64_t stride = 0;  ///< between channels in the plain weights
};

/// One reduction step of `block`. Returns where it ends.
template <class Number>
Number* pack_row(const ChannelBlock& block, const Number* from, Number* packed) {
  for (std::int64_t lane = 0; lane < block.real; ++lane) packed[lane] = from[lane * block.stride];
  std::fill(packed + block.real, packed + block.channels, Number{0});
  return packed + block.channels;
}

}  // namespace

template <class Number>
void pack_weights(const Computation& computation, const WeightsOrder& order,
                  std::span<const Number> weights, Number* packed) {
  const TensorLayout layout = layout_of(computation, Operand::weights, Layout::plain);
  const std::int64_t extent = computation.extent(order.blocked);
  const std::int64_t channel_stride =
      offsets_of(computation, layout, {{order.blocked, 2, 1}}).back();
  const std::vector<std::int64_t> steps = offsets_of(computation, layout, order.loops);
  std::vector<Repeat> outer_loops;
  for (const Dim dim : order.outer) outer_loops.push_back({dim, computation.extent(dim), 1});
  for (const std::int64_t outer : offsets_of(computation, layout, outer_loops)) {
    std::int64_t first = 0;
    for (const std::int64_t channels : order.blocks) {
      const ChannelBlock block{.channels = channels,
                               .real = std::clamp<std::int64_t>(extent - first, 0, channels),
                               .stride = channel_stride};
      const Number* from = weights.data() + outer + first * channel_stride;
      for (const std::int64_t step : steps) packed = pack_row(block, from + step, packed);
      first += channels;
    }
  }
}

template void pack_weights(const Computation&, const WeightsOrder&, std::span<const float>, float*);
template void pack_weights(const Computation&, const WeightsOrder&, std::span<const double>,
                           double*);

}  // namespace tileplan
