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

/// Holds the tiles and order classes of every cache level, innermost level first.
struct PerLevelSchedule {
  std::vector<Tile> tiles = {};   ///< Holds T^1 .. T^L, where an uneven split has its larger block.
  std::vector<int> classes = {};  ///< Each entry is an index into OrderClasses::classes.
  double seconds = 0;             ///< Compute and all levels overlap in this time, eq. (T).

  bool operator==(const PerLevelSchedule&) const = default;
};

struct ExactResult {
  /// Holds the schedules found within (1 + slack) of the optimum, fastest first.
  std::vector<PerLevelSchedule> best = {};
  std::int64_t nodes = 0;  ///< The search visited this many tiles.
  /// This is false when most_nodes stopped the search or when sizes were left out
  /// (TileAxis::thinned). The optimum is then not proven.
  bool complete = true;
  double bound = 0;   ///< No schedule of this kernel combination takes fewer seconds.
  double points = 0;  ///< The space has this many tiles, uneven splits included.
};

struct ExactOptions {
  Capacity capacity = Capacity::lru2;
  /// Schedules above (1 + slack) times this number of seconds are pruned. With 0, the search starts
  /// without such a limit.
  double incumbent = 0;
  /// Schedules are kept up to (1 + slack) * optimum. A larger slack visits more tiles.
  double slack = 0.1;
  /// At most this many schedules are returned. The search requires keep >= 1.
  int keep = 12;
  /// At most this many tiles are visited, each in some 10 us. After that, `bound` limits how far
  /// the best schedule is from the optimum.
  std::int64_t most_nodes = 4000;
  /// This is rho of eq. (T). Infinity selects the maximum (roofline), and 0 the machine's exponent.
  double exponent = 0;
  /// If false, the objective is data movement alone.
  bool with_compute = true;
  /// If true, the caches are hot: a cache that holds the whole problem costs nothing.
  bool hot = true;
  /// Uneven splits give a dim with few divisors (is_coarse) some ten times as many tiles.
  Splits splits = Splits::equal;
};

/// Returns true when uneven splits give `kernels` further tiles, because some output dim without a
/// lambda has few divisors above the base box (is_coarse in tile_axis.h).
bool has_uneven_splits(const Computation& computation, const KernelCombo& kernels, int lanes);

/// Returns the optimum of the per-level model for one kernel combination, with near-optimal
/// alternatives. Tiles are multiples of the base box that form chains of divisors. A level that
/// does not hold the base box reuses nothing. The larger block of an uneven split must fit, and its
/// volumes are those of the mean block. The result is empty when `options.incumbent` prunes
/// everything.
ExactResult exact_search(const Computation& computation, const KernelCombo& kernels,
                         const OrderClasses& classes, const Machine& machine,
                         const ExactOptions& options);

/// Returns the schedule of `per_level`: the loops of each level in the order of its class, then the
/// loops of T^1 around the register tile, with reductions innermost. A tile that does not divide
/// the tile around it becomes L(d,...) in the fewest and most equal blocks, and the next loop of
/// that dim becomes R(d). The caller adds layouts and marks.
Schedule to_schedule(const Computation& computation, const KernelCombo& kernels,
                     const OrderClasses& classes, const PerLevelSchedule& per_level, int lanes);

}  // namespace tileplan
