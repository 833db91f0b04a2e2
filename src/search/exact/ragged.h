// SPDX-License-Identifier: Apache-2.0
// This file finds the tile of one cache level that moves least when sizes need not divide, by
// branch and bound.
#pragma once

#include <cstdint>

#include "capacity.h"
#include "computation.h"
#include "orders.h"

namespace tileplan {

/// A tile has multiples of the base that divide the extent, or any multiples, with a ragged last
/// tile.
enum class TileSizeChoice { divisors, any };

struct RaggedOptions {
  CapacityRule rule = CapacityRule::lru2;
  TileSizeChoice sizes = TileSizeChoice::any;
  /// Boxes of sizes that are visited at most, each some 20 us. When they are spent, the best so far
  /// is returned with the bound that is left. Layers of the papers' tables need some thousands.
  std::int64_t most_nodes = 20000;
};

struct RaggedTile {
  Tile tile{};
  int order_class = -1;  ///< index into OrderClasses::classes; -1: not even the base fits
  double elements = 0;   ///< weighted volume of the whole computation, ragged tiles exact
  /// No allowed tile moves less. It is below `elements` where the search was cut by most_nodes, or
  /// where a dim has more than 2^16 sizes, of which some were left out.
  double bound = 0;
  std::int64_t nodes = 0;
};

/// Returns the tile of least weighted volume (models/README.md eq. (V)) among tiles over `base` for
/// which `capacity` elements suffice. The search goes best first: a box of sizes moves no less than
/// its largest corner with real trip counts, and a size is no larger than what fits beside the
/// smallest others. Where every index is affine in a size, the volume depends on the trips alone,
/// and only the smallest size of each trip count is tried. Example: rows of 17 or 34 divide 68; 23
/// (three trips) does not.
RaggedTile least_movement(const Computation& computation, const OrderClasses& classes,
                          const Tile& base, double capacity, const RaggedOptions& options);

}  // namespace tileplan
