// SPDX-License-Identifier: Apache-2.0
// This file looks for the first loop, from the register tile outwards, that ends inside a block.
#include "block_splits.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "branches.h"
#include "repack.h"
#include "tensor_layout.h"

namespace tileplan {
namespace {

/// Returns how many points of `loop` fill the smaller of the blocks that it cuts, or nothing.
std::optional<std::int64_t> points_in_block(const Computation& computation,
                                            const TensorLayout& input, const TensorLayout& output,
                                            const Repeat& loop) {
  std::optional<std::int64_t> points;
  for (const auto& [operand, layout] :
       {std::pair{Operand::input, &input}, {Operand::output, &output}})
    if (const auto cut = cut_block(computation, operand, *layout, loop))
      points = std::min(points.value_or(cut->points), cut->points);
  return points;
}

}  // namespace

std::optional<Schedule> split_at_blocks(const Computation& computation, const Schedule& schedule,
                                        const Nest& nest) {
  const Layout in = layout_in_loops(computation, schedule, nest, Operand::input);
  const TensorLayout input = layout_of(computation, Operand::input, in),
                     output = layout_of(computation, Operand::output, schedule.out);
  Tile covered = nest.base;
  // The loops inside one call may cut blocks.
  const std::size_t begin = microkernel_begin(computation, nest);
  for (std::size_t i = nest.loops.size(); i-- > 0;) {
    const NestLoop& loop = nest.loops[i];
    if (loop.trips == 0) return std::nullopt;  // The loop is a lambda, or a lambda sets its trips.
    const std::int64_t step = covered[loop.dim];
    covered[loop.dim] *= loop.trips;
    if (i >= begin || !loop.is_active()) continue;
    const std::optional<std::int64_t> points =
        points_in_block(computation, input, output, {loop.dim, loop.trips, step});
    if (!points) continue;
    if (*points < 2 || *points >= loop.trips || loop.trips % *points != 0) return std::nullopt;
    Schedule split = schedule;
    Specifier inner = split.loops[i];
    inner.count = *points;
    split.loops[i].count = loop.trips / *points;
    split.loops.insert(split.loops.begin() + static_cast<std::ptrdiff_t>(i) + 1, inner);
    for (std::optional<int>* const packed : {&split.pack_input, &split.pack_weights})
      if (*packed && **packed >= static_cast<int>(i)) ++**packed;
    return split;
  }
  return std::nullopt;
}

}  // namespace tileplan
