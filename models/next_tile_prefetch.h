// SPDX-License-Identifier: Apache-2.0
// These functions plan which weights or input each microkernel call prefetches (Schedule::ahead).
#pragma once

#include <optional>
#include <vector>

#include "computation.h"
#include "nest.h"

namespace tileplan {

/// Describes how the calls of one iteration of a loop prefetch the weights or the input of the
/// next. The link then works all the time, instead of during the first of the loops that reuse the
/// data. Sizes are in elements.
struct NextTilePrefetch {
  std::size_t loop = 0;  ///< It is an index into Nest::loops.
  Operand operand = Operand::weights;
  std::int64_t first = 0;  ///< The data of the next iteration start so far after those of this one.
  std::int64_t block = 0;  ///< One iteration loads so many, and the next one is as far away.
  std::int64_t call = 0;   ///< Each microkernel call prefetches so many, in whole cache lines.
  /// It is true for vectors of pixels whose rows do not follow each other, as in nchw. Each
  /// reduction step then prefetches for the same step of the next iteration, `block` elements on.
  bool by_steps = false;
};

/// Returns the operand that `ahead=position` prefetches: the weights when the loop steps over them,
/// else the input. Throws Error when the nest has no such loop.
Operand next_tile_operand(const Computation& computation, const Nest& nest, int position);

/// Returns the prefetch of the loop at `position`, or nothing without a position. Throws Error
/// unless that loop is outside loop `band` and steps over adjacent blocks of packed weights, or
/// over an input that is stored as `input` and of which each iteration reads one contiguous range
/// or vectors of pixels. Without `input` the loops read a packed copy.
std::optional<NextTilePrefetch> plan_next_tile_prefetch(const Computation& computation,
                                                        const Nest& nest, std::size_t band,
                                                        const std::optional<TensorLayout>& input,
                                                        const std::optional<int>& position);

/// Returns the loops whose weights or input are worth prefetching into a cache that holds the box
/// `cut`: the innermost one outside it that steps over weights, and the innermost that steps over
/// the input alone, each when plan_next_tile_prefetch accepts it.
std::vector<int> next_tile_prefetch_positions(const Computation& computation, const Nest& nest,
                                              const std::optional<TensorLayout>& input,
                                              const Tile& cut);

}  // namespace tileplan
