// SPDX-License-Identifier: Apache-2.0
// These functions plan which weights or input each microkernel call prefetches (Schedule::ahead).
#pragma once

#include <optional>
#include <vector>

#include "computation.h"
#include "nest.h"

namespace tileplan {

/// Describes how the microkernel calls in one iteration of a loop prefetch the weights or the input
/// of the next iteration. Data then arrive throughout the iteration instead of only when they are
/// first used. Distances and sizes are in elements.
struct NextTilePrefetch {
  std::size_t loop = 0;  ///< Nest::loops has the loop at this index.
  Operand operand = Operand::weights;
  /// The data of the next iteration start this far after the current data.
  std::int64_t first = 0;
  /// One iteration loads this many, and successive iterations are this far apart.
  std::int64_t block = 0;
  std::int64_t call = 0;  ///< Each call prefetches this many, rounded to whole cache lines.
  /// This flag is true for vectors of pixels whose rows are not adjacent in memory, as in nchw.
  /// Each reduction step then prefetches for the same step of the next iteration, `block` elements
  /// later.
  bool by_steps = false;
};

/// Returns the operand that `ahead=position` prefetches: the weights when the loop at `position`
/// steps over the weights, else the input. Throws Error when the nest has no such loop.
Operand next_tile_operand(const Computation& computation, const Nest& nest, int position);

/// Returns the prefetch of the loop at `position`, or nothing without a position. Throws Error
/// unless that loop is outside the loop with index `band` and steps either over adjacent blocks of
/// packed weights or over an input with the layout `input`. Each iteration must then read one
/// contiguous range of the input, or vectors of pixels. Without `input` the loops read a packed
/// copy.
std::optional<NextTilePrefetch> plan_next_tile_prefetch(const Computation& computation,
                                                        const Nest& nest, std::size_t band,
                                                        const std::optional<TensorLayout>& input,
                                                        const std::optional<int>& position);

/// Returns the loops whose weights or input are worth prefetching into a cache that holds the box
/// `cut`: the innermost loop outside `cut` that steps over weights, and the innermost that steps
/// over the input alone. A loop that plan_next_tile_prefetch refuses is left out.
std::vector<int> next_tile_prefetch_positions(const Computation& computation, const Nest& nest,
                                              const std::optional<TensorLayout>& input,
                                              const Tile& cut);

}  // namespace tileplan
