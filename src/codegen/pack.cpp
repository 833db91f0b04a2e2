// SPDX-License-Identifier: Apache-2.0
// Packing is index arithmetic: one offset per outer point, channel and reduction step, added up.
#include "pack.h"

#include <algorithm>

#include "integers.h"
#include "runs.h"

namespace tileplan {

namespace {

/// Offsets in the plain weights of every point of the outer dims, last dim fastest.
std::vector<std::int64_t> outer_offsets(const Computation& computation, const WeightsOrder& order,
                                        const TensorLayout& layout) {
  const TensorAccess& weights = computation.tensors[static_cast<std::size_t>(Operand::weights)];
  std::vector<std::int64_t> offsets{0};
  for (const Dim dim : order.outer) {
    std::vector<std::int64_t> next;
    for (const std::int64_t before : offsets)
      for (std::int64_t i = 0; i < computation.extent(dim); ++i) {
        Tile at;
        at[dim] = i;
        next.push_back(before + element_offset(weights, layout, at, computation.dims()));
      }
    offsets = std::move(next);
  }
  return offsets;
}

}  // namespace

void pack_weights(const Computation& computation, const WeightsOrder& order, Dim vectorised,
                  std::span<const float> weights, float* packed) {
  const TensorAccess& access = computation.tensors[static_cast<std::size_t>(Operand::weights)];
  const TensorLayout layout = layout_of(computation, Operand::weights, Layout::plain);
  const std::int64_t extent = computation.extent(vectorised);
  Tile unit;
  unit[vectorised] = 1;
  const std::int64_t channel_stride = element_offset(access, layout, unit, computation.dims());
  std::vector<std::int64_t> step_offsets;
  step_offsets.reserve(order.steps.size());
  for (const Tile& step : order.steps)
    step_offsets.push_back(element_offset(access, layout, step, computation.dims()));
  for (const std::int64_t outer : outer_offsets(computation, order, layout)) {
    std::int64_t first = 0;
    for (const std::int64_t block : order.blocks) {
      const std::int64_t real = std::clamp<std::int64_t>(extent - first, 0, block);
      for (const std::int64_t step : step_offsets) {
        const float* from = weights.data() + outer + step + first * channel_stride;
        for (std::int64_t lane = 0; lane < real; ++lane) packed[lane] = from[lane * channel_stride];
        std::fill(packed + real, packed + block, 0.0F);
        packed += block;
      }
      first += block;
    }
  }
}

void transpose(const Transposition& shape, const float* from, float* to) {
  constexpr std::int64_t kSquare = 16;  // 16 x 16 floats: one cache line per row on both sides
  for (std::int64_t image = 0; image < shape.images; ++image) {
    for (std::int64_t r0 = 0; r0 < shape.rows; r0 += kSquare)
      for (std::int64_t c0 = 0; c0 < shape.columns; c0 += kSquare) {
        const std::int64_t r1 = std::min(r0 + kSquare, shape.rows);
        const std::int64_t c1 = std::min(c0 + kSquare, shape.columns);
        for (std::int64_t c = c0; c < c1; ++c)
          for (std::int64_t r = r0; r < r1; ++r)
            to[c * shape.rows + r] = from[r * shape.columns + c];
      }
    from += shape.rows * shape.columns;
    to += shape.rows * shape.columns;
  }
}

}  // namespace tileplan
