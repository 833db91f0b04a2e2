// SPDX-License-Identifier: Apache-2.0
// This file minimises the volume of one cache level's tile over all sizes, by branch and bound.
#pragma once

#include <cstdint>

#include "capacity.h"
#include "computation.h"
#include "orders.h"

namespace tileplan {

/// The sizes of a tile are multiples of the base that divide the extent, or any multiples, with a
/// ragged last tile.
enum class TileSizeChoice { divisors, any };

struct RaggedOptions {
  CapacityRule rule = CapacityRule::lru2;
  TileSizeChoice sizes = TileSizeChoice::any;
  /// At most so many boxes of sizes are visited, each some 20 us. `bound` covers the others.
  std::int64_t most_nodes = 20000;
};

struct RaggedTile {
  Tile tile{};
  int order_class =
      -1;  ///< It indexes OrderClasses::classes, and is -1 when not even the base fits.
  double elements = 0;  ///< It is the weighted volume of the whole computation, ragged tiles exact.
  /// No allowed tile loads less. It is below `elements` where most_nodes cut the search, or where a
  /// dim has more than 2^16 sizes, of which some were left out.
  double bound = 0;
  std::int64_t nodes = 0;
};

/// Returns the tile of least weighted volume (models/README.md eq. (V)) among tiles over `base` for
/// which `capacity` elements suffice. The search goes best first: a box of sizes loads no less than
/// its largest corner with real trip counts, and no size exceeds what fits with the smallest
/// others. Where every index is affine in a size, the volume depends on the trips alone, and only
/// the smallest size of each trip count is tried. Example: rows of 17 or 34 divide 68, and 23
/// (three trips) does not.
RaggedTile least_movement(const Computation& computation, const OrderClasses& classes,
                          const Tile& base, double capacity, const RaggedOptions& options);

}  // namespace tileplan
