// SPDX-License-Identifier: Apache-2.0
// A nest fixes the order of its reduction steps and of the packed weights.
#pragma once

#include <cstdint>
#include <vector>

#include "nest.h"
#include "tensor_layout.h"

namespace tileplan {

/// Returns all points of nested loops, which are listed outermost first. Dims without a loop are 0.
std::vector<Tile> points(const std::vector<Repeat>& loops);

/// Returns the reduction loops from `from` inwards, then the unrolled reduction dims in domain
/// order, except that the first of them is contiguous in the input and becomes the innermost loop.
/// Requires: a part is chosen for each lambda outside `from`.
std::vector<Repeat> reduction_loops(const Computation& computation, const Nest& nest,
                                    std::size_t from);

/// Returns the number of points of nested loops.
std::int64_t point_count(const std::vector<Repeat>& loops);

/// Packed weights are ordered as [outer][channel block][reduction step][channels of the block].
struct WeightsOrder {
  Dim blocked{};                     ///< weights_dim() returns this dim.
  std::vector<Dim> outer;            ///< Batch and other channel dims are in domain order.
  std::vector<std::int64_t> blocks;  ///< A block has this many channels, lanes included.
  std::vector<Repeat> loops;         ///< The reduction loops are listed outermost first.
  std::int64_t outer_count = 1;
  std::int64_t channels = 0;  ///< All blocks together have this many.
  std::int64_t extent = 0;    ///< This many channels exist; the others are zero.

  std::int64_t steps() const { return point_count(loops); }
  std::int64_t elements() const { return outer_count * channels * steps(); }
  /// Returns a hash that is never 0. Two different orders have equal hashes with probability 2^-64.
  std::uint64_t fingerprint() const;
};

WeightsOrder weights_order(const Computation& computation, const Nest& nest);

}  // namespace tileplan
