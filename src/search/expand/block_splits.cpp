// SPDX-License-Identifier: Apache-2.0
// From the microkernel outwards, the first loop that cuts blocks of channels of a layout such as
// nChw16c (cut_block) is split, so that its inner part stays inside one block.
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

/// Returns the least number of iterations of `loop` that fill a block of the input or of the output
/// that the loop cuts, or nothing when it cuts none.
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

/// Returns `schedule` with two loops of `outer` and `inner` trips in the place of loop `i`.
Schedule with_split_loop(Schedule schedule, std::size_t i, std::int64_t outer, std::int64_t inner) {
  Specifier second = schedule.loops[i];
  second.count = inner;
  schedule.loops[i].count = outer;
  schedule.loops.insert(schedule.loops.begin() + static_cast<std::ptrdiff_t>(i) + 1, second);
  for (std::optional<int>* const packed : {&schedule.pack_input, &schedule.pack_weights})
    if (*packed && **packed >= static_cast<int>(i)) ++**packed;
  return schedule;
}

}  // namespace

std::optional<Schedule> split_at_blocks(const Computation& computation, const Schedule& schedule,
                                        const Nest& nest) {
  const Layout in = layout_in_loops(computation, schedule, nest, Operand::input);
  const TensorLayout input = layout_of(computation, Operand::input, in),
                     output = layout_of(computation, Operand::output, schedule.out);
  Tile covered = nest.base;
  // Loops inside one call may cut blocks, so they are skipped.
  const std::size_t begin = microkernel_begin(computation, nest);
  for (std::size_t i = nest.loops.size(); i-- > 0;) {
    const NestLoop& loop = nest.loops[i];
    // The trips of a list of blocks (lambda), or of the loop inside it, are not constant.
    if (loop.trips == 0) return std::nullopt;
    const std::int64_t step = covered[loop.dim];
    covered[loop.dim] *= loop.trips;
    if (i >= begin || !loop.is_active()) continue;
    const std::optional<std::int64_t> points =
        points_in_block(computation, input, output, {loop.dim, loop.trips, step});
    if (!points) continue;
    if (*points < 2 || *points >= loop.trips || loop.trips % *points != 0) return std::nullopt;
    return with_split_loop(schedule, i, loop.trips / *points, *points);
  }
  return std::nullopt;
}

}  // namespace tileplan
