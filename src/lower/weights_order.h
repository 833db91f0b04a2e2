// SPDX-License-Identifier: Apache-2.0
// This file declares the order of the packed weights, which follows from the order of the loops of
// a nest.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nest.h"
#include "tensor_layout.h"

namespace tileplan {

/// Returns all iterations of `loops`, which are listed outermost first. Dimensions without a loop
/// are 0.
std::vector<Tile> points(const std::vector<Repeat>& loops);

/// Returns the reduction loops from `from` inwards, then those over unrolled_reductions(). Requires
/// that no reduction dimension has a list of blocks (lambda), as check_nest() ensures.
std::vector<Repeat> reduction_loops(const Computation& computation, const Nest& nest,
                                    std::size_t from);

/// Returns the number of iterations of `loops`.
std::int64_t point_count(const std::vector<Repeat>& loops);

/// Describes packed weights as an array with the indices [group of channels][outer][channel
/// block][reduction step][channel of the block]. Loops over channels that enclose a loop over
/// `outer` step from group to group. Successive microkernel calls can therefore read successive
/// addresses.
struct WeightsOrder {
  /// This is the dimension that weights_dim() returned.
  Dim blocked{};
  /// Lists loops over the other batch and channel dimensions, in the order of the domain.
  std::vector<Repeat> outer;
  /// Gives the number of channels of each block, including padding.
  std::vector<std::int64_t> blocks;
  std::vector<Repeat> loops;  ///< Lists reduction loops of several trips, outermost first.
  std::int64_t outer_count = 1;
  std::int64_t channels = 0;  ///< Counts the channels of all blocks together.
  /// Counts the channels of a group. There is one group unless a loop over channels encloses a loop
  /// over `outer`. A list of blocks (lambda) over channels and all loops inside it do not count.
  std::int64_t group = 0;
  /// Identifies the transform of the weights: the matrices of a Winograd convolution, or the order
  /// inside a block that AMX tiles need. It is 0 if the weights are not transformed.
  std::uint64_t transform = 0;
  std::int64_t extent = 0;  ///< Counts the channels that exist; the weights of all others are zero.

  std::int64_t steps() const { return point_count(loops); }
  std::int64_t elements() const { return outer_count * channels * steps(); }
  std::int64_t groups() const { return channels / group; }
  /// Returns the sizes of the blocks of one group.
  std::span<const std::int64_t> group_blocks() const {
    return std::span(blocks).first(blocks.size() / static_cast<std::size_t>(groups()));
  }
  /// Returns the distance in elements after `iterations` of a loop over `dim`, or 0 when the
  /// weights lack `dim`. Requires that `dim` is no reduction dimension, and that the iterations
  /// over channels are whole groups or stay inside one.
  std::int64_t distance(Dim dim, std::int64_t iterations) const;
  /// Returns a hash that is never 0 and differs for nearly all pairs of different orders. Kernels
  /// compare it to notice weights that were packed for another kernel.
  std::uint64_t fingerprint() const;
};

/// Returns the order of the weights that the loops of `nest` from `first` inwards read. Requires
/// that a part is chosen for each list of blocks (lambda) outside `first`.
WeightsOrder weights_order(const Computation& computation, const Nest& nest, std::size_t first = 0);

}  // namespace tileplan
