// SPDX-License-Identifier: Apache-2.0
// The tile of one cache level that moves least when sizes need not divide: branch and bound.
#pragma once

#include <cstdint>

#include "capacity.h"
#include "computation.h"
#include "orders.h"

namespace tileplan {

/// Which sizes a tile may have: multiples of the base that divide the extent, or all of them, the
/// last tile being ragged.
enum class TileSizeChoice { divisors, any };

struct RaggedOptions {
  CapacityRule rule = CapacityRule::lru2;
  TileSizeChoice sizes = TileSizeChoice::any;
  /// Boxes of sizes looked at; then the best so far is returned with the bound that is left. Layers
  /// of the papers' tables need some thousands, each some 20 us.
  std::int64_t most_nodes = 20000;
};

struct RaggedTile {
  Tile tile{};
  int order_class = -1;  ///< index into OrderClasses::classes; -1: not even the base fits
  double elements = 0;   ///< weighted volume of the whole computation, ragged tiles exact
  /// No allowed tile moves less. Below `elements` where the search was cut: after most_nodes, or as
  /// sizes were left out, of which there are more than 2^16 along a dim.
  double bound = 0;
  std::int64_t nodes = 0;
};

/// The tile of least weighted volume (models/README.md eq. (V)) among tiles over `base` inside
/// which `capacity` elements suffice. Best first: a box of sizes moves no less than its largest
/// corner with real trip counts, and a size is no larger than what fits beside the smallest others.
/// Where every index is affine in a size, only the smallest size of each trip count is tried: the
/// volume depends on the trips alone. Example: 68 rows by rows of 17 or 34 divide; 23 (three trips)
/// does not.
RaggedTile least_movement(const Computation& computation, const OrderClasses& classes,
                          const Tile& base, double capacity, const RaggedOptions& options);

}  // namespace tileplan
