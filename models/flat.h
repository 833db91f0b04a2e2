// SPDX-License-Identifier: Apache-2.0
// This model counts the elements that enter a cache for any nest: models/README.md eq. (X).
#pragma once

#include <cstdint>
#include <vector>

#include "capacity.h"
#include "movement.h"
#include "nest.h"

namespace tileplan {

/// Describes the iterations in which each list of blocks (lambda) outside the cut has blocks of one
/// size. The nest may load more or less in these iterations than on average.
struct TrafficPart {
  double iterations = 1;           ///< Gives their share of all iterations.
  std::size_t branches = 1;        ///< Counts the branches of the nest (branches.h) among them.
  PerTensor<double> volumes = {};  ///< Gives their share of the volume of each tensor.

  bool operator==(const TrafficPart&) const = default;
};

/// Holds the traffic of a nest at one cache. If the cut lies inside a list of blocks (lambda),
/// `cut` and `walked` describe the branch (branches.h) that loads most bytes. If the lambda is the
/// innermost active loop outside the cut over a dimension of a tensor, `walked` has all its blocks.
struct FlatTraffic {
  PerTensor<std::int64_t> volumes = {};  ///< Counts the elements that enter the cache.
  Tile cut{};                            ///< Is the box of iterations whose data the cache holds.
  /// Holds, per tensor, the box that the loops cover before they evict a part of it: the cut,
  /// extended by all trips of the innermost active loop outside it over a dimension of the tensor.
  PerTensor<Tile> walked = {};
  /// Has an entry for each combination of block sizes if the cut lies inside lists of blocks, and
  /// is empty otherwise. The shares of all entries add up to 1. Entries are in the order of
  /// branches_of().
  std::vector<TrafficPart> parts = {};
  /// Is the least capacity with which a larger box may fit, or the largest integer when none can.
  /// The traffic stays equal while the capacity grows but remains below this number.
  std::int64_t next_capacity = 0;

  bool operator==(const FlatTraffic&) const = default;
};

/// Returns the traffic of a cache of `capacity` units (capacity.h) while `nest` runs once, eq. (X).
/// The cut is the outermost position whose box fits by `rule`, or the register tile when no box
/// fits. Each branch of a lambda has its own cut when no box with all blocks of the lambda fits.
/// With `storage`, the cache lines of the box must also fit, and no tensor may crowd the sets
/// (crowded_set). Requires a nest of `resolve`, or a view of one (cores.h). Throws no Error.
FlatTraffic flat_traffic(const Computation& computation, const Nest& nest, std::int64_t capacity,
                         CapacityRule rule, const Storage* storage = nullptr);

/// Returns only FlatTraffic::volumes of flat_traffic.
PerTensor<std::int64_t> flat_volumes(const Computation& computation, const Nest& nest,
                                     std::int64_t capacity, CapacityRule rule);

}  // namespace tileplan
