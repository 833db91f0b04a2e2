// SPDX-License-Identifier: Apache-2.0
// These functions plan which weights or input each microkernel call prefetches (Schedule::ahead).
#pragma once

#include <optional>
#include <vector>

#include "computation.h"
#include "nest.h"

namespace tileplan {

/// Describes how the microkernel calls in one iteration of a loop prefetch the weights or the input
/// of the next iteration. Data then arrive throughout the iteration instead of only at their first
/// use. Distances and sizes are in elements.
struct NextTilePrefetch {
  std::size_t loop = 0;  ///< Nest::loops holds the loop at this index.
  Operand operand = Operand::weights;
  /// The data of the next iteration start this far after the current data.
  std::int64_t first = 0;
  /// Successive iterations start this far apart, so each iteration needs this many new elements.
  std::int64_t block = 0;
  std::int64_t call = 0;  ///< Each call prefetches this many elements, in whole cache lines.
  /// This flag is true for vectors of pixels whose rows are not adjacent in memory, as in nchw.
  /// Each reduction step then prefetches for the same step of the next iteration.
  bool by_steps = false;
};

/// Returns the operand that `ahead=position` prefetches: the weights when the loop at `position`
/// steps over the weights, else the input. Throws Error when the nest has no such loop.
Operand next_tile_operand(const Computation& computation, const Nest& nest, int position);

/// Returns the bytes that one iteration of the loop at `position` reads of the operand that
/// `ahead=position` prefetches. The input has the layout `input`. Without this layout, the result
/// for the input is 0. Throws Error as next_tile_operand does.
double next_tile_bytes(const Computation& computation, const Nest& nest,
                       const std::optional<TensorLayout>& input, int position);

/// Returns the prefetch of the loop at `position`, or nothing without a position. Throws Error
/// unless that loop encloses loop `begin`, the outermost loop of a microkernel call, and steps over
/// adjacent blocks of packed weights or over an input with the layout `input`. One iteration must
/// read a contiguous range of the input, unless vectors hold pixels. `input` must be
/// empty if the input is packed.
std::optional<NextTilePrefetch> plan_next_tile_prefetch(const Computation& computation,
                                                        const Nest& nest, std::size_t begin,
                                                        const std::optional<TensorLayout>& input,
                                                        const std::optional<int>& position);

/// Describes a cache that keeps the box `cut` and has room for `bytes`.
struct HeldBox {
  Tile cut{};
  double bytes = 0;
};

/// Returns the loops whose weights or input are worth prefetching into a cache that holds `held`:
/// the innermost loop outside its box that steps over weights, and the innermost that steps over
/// the input alone. The cache must have room for the current and the next block. A loop that
/// plan_next_tile_prefetch refuses is left out.
std::vector<int> next_tile_prefetch_positions(const Computation& computation, const Nest& nest,
                                              const std::optional<TensorLayout>& input,
                                              const HeldBox& held);

}  // namespace tileplan
