// SPDX-License-Identifier: Apache-2.0
// Plans how much of the next weights or input each microkernel call prefetches (Schedule::ahead).
#pragma once

#include <optional>
#include <vector>

#include "computation.h"
#include "nest.h"

namespace tileplan {

/// Deals what the next iteration of one loop brings of the weights or of the input out to the calls
/// of the current one. The link then works all the time, instead of during the first of the loops
/// that reuse the data. Sizes are in elements.
struct NextTilePrefetch {
  std::size_t loop = 0;  ///< index into Nest::loops
  Operand operand = Operand::weights;
  std::int64_t first = 0;  ///< from where the current iteration begins to what the next one brings
  std::int64_t block = 0;  ///< that one iteration brings, and from one to the next
  std::int64_t call = 0;   ///< of these, per microkernel call: whole cache lines, rounded up
  /// True for vectors of pixels whose rows do not lie behind each other, as in nchw. Each reduction
  /// step then prefetches what the same step of the next iteration reads, `block` behind its own.
  bool by_steps = false;
};

/// Returns what `ahead=position` prefetches: the weights when the loop steps over them, else the
/// input. Throws Error when the nest has no such loop.
Operand next_tile_operand(const Computation& computation, const Nest& nest, int position);

/// Returns the prefetch of the loop at `position`; nothing without a position. Throws Error unless
/// that loop is outside `band` and steps over packed weights from one block to the one behind it,
/// or over an input that is stored as `input` and of which each iteration reads one stretch of
/// memory or vectors of pixels. Without `input` the loops read a packed copy.
std::optional<NextTilePrefetch> plan_next_tile_prefetch(const Computation& computation,
                                                        const Nest& nest, std::size_t band,
                                                        const std::optional<TensorLayout>& input,
                                                        const std::optional<int>& position);

/// Returns the loops whose weights or input are worth prefetching into a cache that holds the box
/// `cut`: the innermost one outside it that steps over weights, and the innermost that steps over
/// the input alone, each when plan_next_tile_prefetch takes it.
std::vector<int> next_tile_prefetch_positions(const Computation& computation, const Nest& nest,
                                              const std::optional<TensorLayout>& input,
                                              const Tile& cut);

}  // namespace tileplan
