// SPDX-License-Identifier: Apache-2.0
// A nest fixes the order of its reduction steps and of the packed weights.
#pragma once

#include <cstdint>
#include <vector>

#include "nest.h"
#include "tensor_layout.h"

namespace tileplan {

/// Returns the points of nested loops, outermost first; dims without a loop are 0.
std::vector<Tile> points(const std::vector<Repeat>& loops);

/// Returns the reduction loops from `from` inwards and then the unrolled ones, in domain order but
/// for the first, which is contiguous in the input and innermost. Requires: the parts of lambdas
/// outside `from` are chosen.
std::vector<Repeat> reduction_loops(const Computation& computation, const Nest& nest,
                                    std::size_t from);

/// Returns the number of points of nested loops.
std::int64_t point_count(const std::vector<Repeat>& loops);

/// Packed weights are ordered as [outer][channel block][reduction step][channels of the block].
struct WeightsOrder {
  Dim blocked{};                     ///< weights_dim() determines this dim.
  std::vector<Dim> outer;            ///< Batch and other channel dims are in domain order.
  std::vector<std::int64_t> blocks;  ///< A block has this many channels, lanes included.
  std::vector<Repeat> loops;         ///< Loops run over the reduction steps, outermost first.
  std::int64_t outer_count = 1;
  std::int64_t channels = 0;  ///< This is the sum of `blocks`.
  std::int64_t extent = 0;    ///< This many channels exist; the others are zero.

  std::int64_t steps() const { return point_count(loops); }
  std::int64_t elements() const { return outer_count * channels * steps(); }
  /// Tells orders apart, but for a chance of 2^-64. It is never 0.
  std::uint64_t fingerprint() const;
};

WeightsOrder weights_order(const Computation& computation, const Nest& nest);

}  // namespace tileplan
