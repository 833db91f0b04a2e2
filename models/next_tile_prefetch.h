// SPDX-License-Identifier: Apache-2.0
// These functions plan which weights or input each microkernel call prefetches (Schedule::ahead).
#pragma once

#include <optional>
#include <vector>

#include "computation.h"
#include "nest.h"

namespace tileplan {

/// Describes how the microkernel calls in one iteration of a loop prefetch the weights or the input
/// of the next iteration (mark `ahead`). Data then arrive throughout the iteration instead of only
/// at their first use. Distances and sizes are in elements.
struct NextTilePrefetch {
  std::size_t loop = 0;  ///< Is the index of the loop in Nest::loops.
  Operand operand = Operand::weights;
  /// Gives the distance from the start of the current data to the first element that only the next
  /// iteration reads.
  std::int64_t first = 0;
  /// Gives the distance between the data of successive iterations, which is the number of new
  /// elements per iteration unless `by_steps` is true.
  std::int64_t block = 0;
  /// Counts the elements that each call prefetches, rounded up to whole cache lines.
  std::int64_t call = 0;
  /// Tells whether each reduction step prefetches the data of the same step in the next iteration.
  /// This is done for vectors of pixels whose rows are not adjacent in memory, as in nchw. `first`
  /// and `call` then have no meaning.
  bool by_steps = false;
};

/// Returns the operand that `ahead=position` prefetches: the weights when the loop at `position`
/// advances over the weights, else the input. Throws Error when the nest has no such loop.
Operand next_tile_operand(const Computation& computation, const Nest& nest, int position);

/// Returns the bytes that one iteration of the loop at `position` reads of the operand that
/// `ahead=position` prefetches. `input` is the layout of the input; without it, the result for the
/// input is 0. Throws Error as next_tile_operand does.
double next_tile_bytes(const Computation& computation, const Nest& nest,
                       const std::optional<TensorLayout>& input, int position);

/// Returns the prefetch of the loop at `position`, or nothing without a position. Throws Error
/// unless the loop encloses loop `begin`, the outermost loop of a microkernel call, and advances in
/// equal steps over adjacent blocks of packed weights or over an input with the layout `input`. No
/// list of blocks (lambda) outside the loop may set the size of the data that one iteration reads.
/// Iterations must read contiguous ranges of the input that overlap or are adjacent, unless vectors
/// hold pixels. `input` must be empty if the input is packed.
std::optional<NextTilePrefetch> plan_next_tile_prefetch(const Computation& computation,
                                                        const Nest& nest, std::size_t begin,
                                                        const std::optional<TensorLayout>& input,
                                                        const std::optional<int>& position);

/// Describes a cache that keeps the data of the box `cut` and has room for `bytes`.
struct HeldBox {
  Tile cut{};
  double bytes = 0;
};

/// Returns the positions of loops whose weights or input are worth prefetching into the cache that
/// `held` describes: the innermost active loop outside the box `cut` that advances over the
/// weights, and the innermost one that advances over the input but not over the weights. The cache
/// must have room for the current and the next block. A loop that plan_next_tile_prefetch refuses
/// is left out.
std::vector<int> next_tile_prefetch_positions(const Computation& computation, const Nest& nest,
                                              const std::optional<TensorLayout>& input,
                                              const HeldBox& held);

}  // namespace tileplan
