// SPDX-License-Identifier: Apache-2.0
// From the register tile outwards: the first loop that leaves a block in the middle.
#include "block_splits.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "branches.h"

namespace tileplan {

namespace {

/// Trips of `loop`, which goes in steps of `step`, that fill a block of one index of the tensor at
/// most; `loop.trips` where it cuts none.
std::int64_t trips_in_block(const Computation& computation, Operand operand,
                            const TensorLayout& layout, const NestLoop& loop, std::int64_t step) {
  const TensorAccess& access = computation.tensor(operand);
  std::int64_t trips = loop.trips;
  for (std::size_t a = 0; a < access.data.size(); ++a)
    for (const Term& term : access.data[a].terms) {
      const std::int64_t apart = step * term.coefficient;
      const AxisLayout& axis = layout.axes[a];
      const bool cuts = term.dim == loop.dim &&
                        !axis.is_linear(apart, apart * loop.trips, computation.extent(loop.dim));
      if (cuts) trips = std::min(trips, axis.block / apart);
    }
  return trips;
}

}  // namespace

std::optional<Schedule> split_at_blocks(const Computation& computation, const Schedule& schedule,
                                        const Nest& nest) {
  const TensorLayout input = layout_of(computation, Operand::input, schedule.in),
                     output = layout_of(computation, Operand::output, schedule.out);
  Tile covered = nest.base;
  const std::size_t band = reduction_band(computation, nest);  // its steps are listed one by one
  for (std::size_t i = nest.loops.size(); i-- > 0;) {
    const NestLoop& loop = nest.loops[i];
    if (loop.trips == 0) return std::nullopt;  // sized by the blocks of a lambda, or one itself
    const std::int64_t step = covered[loop.dim];
    covered[loop.dim] *= loop.trips;
    if (i >= band) continue;
    const std::int64_t trips =
        std::min(trips_in_block(computation, Operand::input, input, loop, step),
                 trips_in_block(computation, Operand::output, output, loop, step));
    if (trips == loop.trips) continue;
    if (trips < 2 || loop.trips % trips != 0) return std::nullopt;
    Schedule split = schedule;
    Specifier inner = split.loops[i];
    inner.count = trips;
    split.loops[i].count = loop.trips / trips;
    split.loops.insert(split.loops.begin() + static_cast<std::ptrdiff_t>(i) + 1, inner);
    if (split.pack_input && *split.pack_input >= static_cast<int>(i)) ++*split.pack_input;
    return split;
  }
  return std::nullopt;
}

}  // namespace tileplan
