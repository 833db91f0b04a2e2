// SPDX-License-Identifier: Apache-2.0
// This file declares the order of the packed weights, which follows from the order of the loops of
// a nest.
#pragma once

#include <cstdint>
#include <vector>

#include "nest.h"
#include "tensor_layout.h"

namespace tileplan {

/// Returns all iterations of `loops`, which are listed outermost first. Dims without a loop are 0.
std::vector<Tile> points(const std::vector<Repeat>& loops);

/// Returns the reduction loops from `from` inwards, then the unrolled reduction dims in domain
/// order. The first of these dims becomes the innermost loop, because it is contiguous in the
/// input. Requires: a part is chosen for each lambda outside `from`.
std::vector<Repeat> reduction_loops(const Computation& computation, const Nest& nest,
                                    std::size_t from);

/// Returns the number of iterations of `loops`.
std::int64_t point_count(const std::vector<Repeat>& loops);

/// Describes packed weights as [outer][channel block][reduction step][channels of the block].
struct WeightsOrder {
  Dim blocked{};                     ///< weights_dim() returned this dim.
  std::vector<Repeat> outer;         ///< These batch and channel dims are in domain order.
  std::vector<std::int64_t> blocks;  ///< Each block has this many channels, including padding.
  std::vector<Repeat> loops;         ///< The reduction loops are listed outermost first.
  std::int64_t outer_count = 1;
  std::int64_t channels = 0;  ///< All blocks together have this many channels.
  /// A Winograd convolution transforms its weights first, and tiles have their weights in another
  /// order inside a block; the number stands for either.
  std::uint64_t transform = 0;
  std::int64_t extent = 0;  ///< This many channels exist; the weights of all others are zero.

  std::int64_t steps() const { return point_count(loops); }
  std::int64_t elements() const { return outer_count * channels * steps(); }
  /// Returns the distance in elements between neighbours along `dim`, or 0 when the weights lack
  /// `dim`. Requires: `dim` is no reduction dim.
  std::int64_t stride(Dim dim) const;
  /// Returns a hash that is never 0. Two different orders have equal hashes with probability 2^-64.
  std::uint64_t fingerprint() const;
};

/// Returns the order of the weights that the loops of `nest` from `first` inwards read. Requires: a
/// part is chosen for each lambda outside `first`.
WeightsOrder weights_order(const Computation& computation, const Nest& nest, std::size_t first = 0);

}  // namespace tileplan
