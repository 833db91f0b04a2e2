// SPDX-License-Identifier: Apache-2.0
// Schedule::ahead -> how much of the next weights or input each microkernel call prefetches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "computation.h"
#include "nest.h"

namespace tileplan {

/// What the next iteration of one loop brings of the weights or of the input, dealt out to the
/// calls of the current one. A cache filled so has something to wait for all the time, instead of
/// during the first of the loops that reuse it. Elements.
struct Ahead {
  std::size_t loop = 0;  ///< index into Nest::loops
  Operand operand = Operand::weights;
  std::int64_t first = 0;  ///< from where the current iteration begins to what the next one brings
  std::int64_t block = 0;  ///< that one iteration brings, and from one to the next
  std::int64_t call = 0;   ///< of these, per microkernel call: whole cache lines, rounded up
  /// Vectors of pixels whose rows do not lie behind each other, as in nchw: each reduction step
  /// prefetches what the same step of the next iteration reads, `block` behind its own.
  bool by_steps = false;
};

/// What `ahead=position` prefetches: the weights when the loop steps over them, else the input.
/// Throws Error when the nest has no such loop.
Operand ahead_operand(const Computation& computation, const Nest& nest, int position);

/// Throws Error unless loop `position` is outside `band` and steps over packed weights from one
/// block to the one behind it, or over an input that is stored as `input` and of which each
/// iteration reads one stretch of memory or vectors of pixels. Without `input` the loops read a
/// packed copy, which is not prefetched. Nothing without a position.
std::optional<Ahead> plan_ahead(const Computation& computation, const Nest& nest, std::size_t band,
                                const std::optional<TensorLayout>& input,
                                const std::optional<int>& position);

/// The loops whose weights or input are worth prefetching into a cache that holds the box `cut`:
/// the innermost one outside it that steps over weights, and the innermost that steps over the
/// input alone, each when plan_ahead takes it.
std::vector<int> ahead_positions(const Computation& computation, const Nest& nest,
                                 const std::optional<TensorLayout>& input, const Tile& cut);

}  // namespace tileplan
