// SPDX-License-Identifier: Apache-2.0
// Packs weights; an access that leaves its array, such as B[k - 2, j], reads zeros.
#include "pack.h"

#include <algorithm>

#include "packed_box.h"

namespace tileplan {
namespace {

/// Returns the offset in the plain weights of every point of `loops`, outermost first.
std::vector<std::int64_t> offsets_of(const Computation& computation, const TensorLayout& layout,
                                     const std::vector<Repeat>& loops) {
  std::vector<std::int64_t> offsets;
  offsets.reserve(static_cast<std::size_t>(point_count(loops)));
  for (const Tile& point : points(loops))
    offsets.push_back(offset_distance(computation.tensor(Operand::weights), layout, point));
  return offsets;
}

/// Returns the offset in the plain weights of the access at the origin of all iterators.
std::int64_t origin_of(const TensorAccess& weights, const TensorLayout& layout) {
  std::int64_t origin = 0;
  for (std::size_t axis = 0; axis < weights.data.size(); ++axis)
    origin += weights.data[axis].offset * layout.axes[axis].stride;
  return origin;
}

/// Reads weights through their access, with zeros where it leaves the array.
template <class Number>
struct ZeroExtendedWeights {
  const TensorAccess& access;
  const TensorLayout& layout;
  std::span<const Number> weights;

  Number operator()(const Tile& point) const {
    std::int64_t offset = 0;
    for (std::size_t axis = 0; axis < access.data.size(); ++axis) {
      const DataDim& data = access.data[axis];
      const std::int64_t at = data.offset + index_distance(data, point);
      if (at < 0 || at >= data.extent) return Number{0};
      offset += layout.axes[axis].offset(at);
    }
    return weights[static_cast<std::size_t>(offset)];
  }
};

Tile sum_of(const Tile& a, const Tile& b) {
  Tile sum = a;
  for (std::size_t d = 0; d < sum.values.size(); ++d) sum.values[d] += b.values[d];
  return sum;
}

/// Packs one element at a time, for accesses that leave their array.
template <class Number>
void pack_elements(const WeightsOrder& order, const std::vector<Repeat>& outer_loops,
                   const ZeroExtendedWeights<Number>& weights, Number* packed) {
  const std::vector<Tile> steps = points(order.loops);
  const auto pack_lanes = [&](Tile at, std::int64_t first, std::int64_t channels) {
    for (std::int64_t lane = first; lane < first + channels; ++lane) {
      at[order.blocked] = lane;
      *packed++ = lane < order.extent ? weights(at) : Number{0};
    }
  };
  for (const Tile& outer : points(outer_loops)) {
    std::int64_t first = 0;
    for (const std::int64_t channels : order.blocks) {
      for (const Tile& step : steps) pack_lanes(sum_of(outer, step), first, channels);
      first += channels;
    }
  }
}

struct ChannelBlock {
  std::int64_t channels = 0;
  std::int64_t real = 0;    ///< channels that exist; the others are zero
  std::int64_t stride = 0;  ///< between channels in the plain weights
};

/// Packs one reduction step of `block` and returns where it ends.
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
  const TensorAccess& access = computation.tensor(Operand::weights);
  std::vector<Repeat> outer_loops;
  for (const Dim dim : order.outer) outer_loops.push_back({dim, computation.extent(dim), 1});
  if (std::any_of(access.data.begin(), access.data.end(),
                  [](const DataDim& data) { return data.clipped; }))
    return pack_elements(order, outer_loops, ZeroExtendedWeights<Number>{access, layout, weights},
                         packed);
  const std::int64_t channel_stride =
      offsets_of(computation, layout, {{order.blocked, 2, 1}}).back();
  const std::vector<std::int64_t> steps = offsets_of(computation, layout, order.loops);
  const Number* origin = weights.data() + origin_of(access, layout);
  for (const std::int64_t outer : offsets_of(computation, layout, outer_loops)) {
    std::int64_t first = 0;
    for (const std::int64_t channels : order.blocks) {
      const ChannelBlock block{.channels = channels,
                               .real = std::clamp<std::int64_t>(order.extent - first, 0, channels),
                               .stride = channel_stride};
      const Number* from = origin + outer + first * channel_stride;
      for (const std::int64_t step : steps) packed = pack_row(block, from + step, packed);
      first += channels;
    }
  }
}

template void pack_weights(const Computation&, const WeightsOrder&, std::span<const float>, float*);
template void pack_weights(const Computation&, const WeightsOrder&, std::span<const double>,
                           double*);

}  // namespace tileplan
