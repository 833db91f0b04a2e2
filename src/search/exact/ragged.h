// SPDX-License-Identifier: Apache-2.0
// This file minimises the volume of one cache level's tile over all sizes, by branch and bound.
#pragma once

#include <cstdint>

#include "capacity.h"
#include "computation.h"
#include "orders.h"

namespace tileplan {

/// The sizes of a tile are multiples of the base: only those that divide the extent, or any, with a
/// ragged last tile.
enum class TileSizeChoice { divisors, any };

struct RaggedOptions {
  CapacityRule rule = CapacityRule::lru2;
  TileSizeChoice sizes = TileSizeChoice::any;
  /// At most this many boxes of sizes are visited, each in some 20 us. `bound` covers the others.
  std::int64_t most_nodes = 20000;
};

struct RaggedTile {
  Tile tile{};
  int order_class =
      -1;  ///< This indexes OrderClasses::classes, and is -1 when not even the base fits.
  double elements = 0;  ///< This is the exact weighted volume, ragged tiles included.
  /// No allowed tile loads less. The bound is below `elements` when most_nodes stopped the search,
  /// or when a dim has more than 2^16 sizes, of which some were left out.
  double bound = 0;
  std::int64_t nodes = 0;
};

/// Returns the tile of least weighted volume (models/README.md eq. (V)) among tiles over `base` for
/// which `capacity` elements suffice. The search visits the box of sizes with the least bound
/// first. A box loads no less than its largest corner with real trip counts, and no size exceeds
/// what fits with the smallest others. When every index is affine in a size, the volume depends on
/// the trip count alone, so only the smallest size of each trip count is tried. Example: rows of 17
/// or 34 divide 68, and 23 (three trips) does not.
RaggedTile least_movement(const Computation& computation, const OrderClasses& classes,
                          const Tile& base, double capacity, const RaggedOptions& options);

}  // namespace tileplan
