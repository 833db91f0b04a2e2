// SPDX-License-Identifier: Apache-2.0
// This file minimises the volume of one cache level's tile over the allowed sizes by branch and
// bound.
#pragma once

#include <cstdint>

#include "capacity.h"
#include "computation.h"
#include "orders.h"

namespace tileplan {

/// Selects the sizes that a tile may have, in multiples of the base: only divisors of the extent,
/// which is rounded up to a multiple of the base, or any multiple, in which case the last tile may
/// be smaller.
enum class TileSizeChoice { divisors, any };

struct RaggedOptions {
  CapacityRule rule = CapacityRule::lru2;
  TileSizeChoice sizes = TileSizeChoice::any;
  /// Limits the boxes of sizes that are visited, each in some 20 us. RaggedTile::bound covers the
  /// others.
  std::int64_t most_nodes = 20000;
};

struct RaggedTile {
  Tile tile{};
  /// Is an index into OrderClasses::classes, or -1 when not even the base fits.
  int order_class = -1;
  /// Gives the exact weighted volume in units, with smaller tiles at the ends of dimensions. It is
  /// infinite when not even the base fits.
  double elements = 0;
  /// Is a lower bound on the weighted volume of every allowed tile. It may be much less than
  /// `elements` when most_nodes stopped the search, or when some sizes of a dimension with more
  /// than 2^16 sizes were left out. With three or more iterators in an index, it is not a proven
  /// bound (models/movement.h).
  double bound = 0;
  std::int64_t nodes = 0;
};

/// Returns the tile of least weighted volume (models/README.md eq. (V)) among tiles of multiples of
/// `base` for which `capacity` units (Computation::unit_bytes) suffice. The search divides boxes of
/// tile sizes and visits the box with the least bound first. The bound of a box is the volume of
/// its largest tile with real trip counts. When every index is affine in a size, only the smallest
/// size of each trip count is tried.
RaggedTile least_movement(const Computation& computation, const OrderClasses& classes,
                          const Tile& base, double capacity, const RaggedOptions& options);

}  // namespace tileplan
