// SPDX-License-Identifier: Apache-2.0
// This file searches capacity-maximal tiles exactly and proves the optimum of the per-level model
// (models/README.md), in which each cache level has its own loop order and tile sizes.
#pragma once

#include <cstdint>
#include <vector>

#include "capacity.h"
#include "computation.h"
#include "kernels.h"
#include "orders.h"
#include "tile_axis.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Holds tiles and order classes of every cache level, innermost first.
struct BandSchedule {
  std::vector<Tile> tiles = {};   ///< T^1 .. T^L have the largest uneven blocks.
  std::vector<int> classes = {};  ///< Each level indexes OrderClasses::classes.
  double seconds = 0;             ///< Compute and all levels overlap in this time, eq. (T).

  bool operator==(const BandSchedule&) const = default;
};

struct ExactResult {
  /// Holds the schedules found within (1 + slack) of the optimum, fastest first.
  std::vector<BandSchedule> best = {};
  std::int64_t nodes = 0;  ///< The search visited this many tiles.
  /// This is false, and the optimum not proven, when most_nodes stopped the search or when sizes
  /// were left out (TileAxis::thinned).
  bool complete = true;
  double bound = 0;   ///< No schedule of this combination takes fewer seconds.
  double points = 0;  ///< The space has this many tiles, uneven splits included.
};

struct ExactOptions {
  Capacity capacity = Capacity::lru2;
  /// Schedules above (1 + slack) times these seconds are pruned; 0 prunes none.
  double incumbent = 0;
  /// Schedules are kept up to (1 + slack) * optimum. A larger slack costs nodes.
  double slack = 0.1;
  /// At most this many schedules are returned. Requires keep >= 1.
  int keep = 12;
  /// At most this many tiles are visited, each in some 10 us. After that, `bound` tells how far the
  /// best schedule may be from the optimum.
  std::int64_t most_nodes = 4000;
  /// The exponent is rho of eq. (T): infinity is the pure maximum (roofline), 0 the machine's.
  double exponent = 0;
  /// Without compute the objective is data movement alone.
  bool with_compute = true;
  /// With hot caches, a cache that holds the whole problem costs nothing.
  bool hot = true;
  /// Uneven splits give a coarse dim (tile_axis.h) some ten times as many tiles.
  Splits splits = Splits::equal;
};

/// Returns true when an output dim without a lambda is coarse (tile_axis.h) above the base box, so
/// that uneven splits add tiles to `kernels`.
bool has_uneven_splits(const Computation& computation, const KernelCombo& kernels, int lanes);

/// Returns the optimum of the per-level model (models/README.md, "Built on them") for one kernel
/// combination, with near-optimal alternatives. A level takes the time of its reads at the
/// bandwidth that fills it, plus the time of its write-backs at the write bandwidth or, if that is
/// unknown, at the former. Its capacity is usable_elements. Under LRU2 the first loop of its class
/// along which the tile is not the whole extent counts twice. When the base box does not fit,
/// nothing is reused. Tiles are multiples of the base that form chains of divisors. The largest
/// block of an uneven split must fit, and its volumes are those of the mean block. The compute time
/// follows models/cost.h, where the reduction loops directly around the register tile are steps of
/// a call. The result is empty when `options.incumbent` prunes everything.
ExactResult exact_search(const Computation& computation, const KernelCombo& kernels,
                         const OrderClasses& classes, const Machine& machine,
                         const ExactOptions& options);

/// Returns the schedule of `band`: the loops of each level, outermost first and in the order of its
/// class, then the loops of T^1 around the register tile, with channels and pixels outside
/// reductions. Loops of one trip are left out, and a lambda of microkernels is the innermost loop
/// of its dim. A tile that does not divide the tile around it becomes L(d,...), in the fewest and
/// most equal blocks that the tiles inside allow, and the next loop of that dim becomes R(d). The
/// caller adds layouts and marks.
Schedule to_schedule(const Computation& computation, const KernelCombo& kernels,
                     const OrderClasses& classes, const BandSchedule& band, int lanes);

}  // namespace tileplan
