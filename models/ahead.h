// SPDX-License-Identifier: Apache-2.0
// Schedule::ahead -> how many bytes of the next weights each microkernel call prefetches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "nest.h"

namespace tileplan {

/// The weights that the next iteration of one loop needs, dealt out to the calls of the current
/// one. A cache filled so has something to wait for all the time, instead of during the first of
/// the loops that reuse the weights. Elements.
struct Ahead {
  std::size_t loop = 0;    ///< index into Nest::loops
  std::int64_t block = 0;  ///< weights of one iteration; those of the next lie behind them
  std::int64_t call = 0;   ///< of these, per microkernel call: whole cache lines, rounded up
};

/// First loop of the reduction band: the reduction loops directly around the register tile, which
/// one microkernel call runs. Loops of one trip belong to whatever is outside them.
std::size_t reduction_band(const Computation& computation, const Nest& nest);

/// Microkernel calls in one iteration of loop `loop`; `band` is the reduction_band. Requires: the
/// parts of lambdas outside `loop` are chosen, or size no loop inside it.
std::int64_t calls_inside(const Nest& nest, std::size_t loop, std::size_t band);

/// Throws Error unless loop `position` is outside `band` and steps over packed weights from one
/// block to the one behind it. Nothing without a position.
std::optional<Ahead> plan_ahead(const Computation& computation, const Nest& nest, std::size_t band,
                                const std::optional<int>& position);

/// The loop whose weights are worth prefetching into a cache that holds the box `cut`: the
/// innermost one outside it that steps over weights, when plan_ahead takes it.
std::optional<int> ahead_position(const Computation& computation, const Nest& nest,
                                  const Tile& cut);

}  // namespace tileplan
