// SPDX-License-Identifier: Apache-2.0
// This file finds the optimum of the per-level model (models/README.md), in which each cache level
// has its own loop order and tile sizes, and proves that nothing is faster unless the search is cut
// short. The search visits only tiles that cannot grow within the capacity of their cache, or that
// have the outputs of one register tile and cannot grow along reductions.
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
  /// Holds the tiles T^1 .. T^L. A tile that is split unevenly has the size of its larger block.
  std::vector<Tile> tiles = {};
  std::vector<int> classes = {};  ///< Holds one index into OrderClasses::classes per level.
  double seconds = 0;  ///< Gives eq. (T), without computation if with_compute is not set.

  bool operator==(const PerLevelSchedule&) const = default;
};

struct ExactResult {
  /// Holds at most `keep` of the schedules that take at most (1 + slack) times the least known
  /// seconds, fastest first.
  std::vector<PerLevelSchedule> best = {};
  std::int64_t nodes = 0;  ///< Counts the tiles that the search visited.
  /// Tells whether the optimum is proven. It is not proven when most_nodes stopped the search or
  /// when sizes were left out (TileAxis::thinned).
  bool complete = true;
  /// Is a lower bound on the seconds of every schedule of the kernel combination.
  double bound = 0;
  /// Counts the tiles that one level may have. Uneven splits are included, unless the least compute
  /// time alone prunes all schedules.
  double points = 0;
};

struct ExactOptions {
  Capacity capacity = Capacity::lru2;
  /// Gives the seconds of a known schedule; schedules above (1 + slack) times this number are
  /// pruned. With 0, nothing is pruned at first.
  double incumbent = 0;
  /// Schedules are kept up to (1 + slack) * optimum. A larger slack visits more tiles.
  double slack = 0.1;
  /// Limits the number of schedules that are returned. Requires at least 1.
  int keep = 12;
  /// Limits the tiles that are visited, each in some 10 us. When the limit stops the search,
  /// ExactResult::bound still tells how far the best schedule can be from the optimum.
  std::int64_t most_nodes = 4000;
  /// Gives rho of eq. (T). Infinity selects the maximum (roofline), and 0 the machine's exponent.
  double exponent = 0;
  /// If false, the objective is data movement alone.
  bool with_compute = true;
  /// If true, the caches are hot: a cache that holds the whole problem costs nothing.
  bool hot = true;
  /// Uneven splits give a dimension with few divisors (is_coarse) some ten times as many tiles.
  Splits splits = Splits::equal;
};

/// Returns true when uneven splits may give `kernels` further tiles, because some output dimension
/// with a single register size has few divisors above the base box (is_coarse in tile_axis.h).
bool has_uneven_splits(const Computation& computation, const KernelCombo& kernels, int lanes);

/// Returns the optimum of the per-level model for one kernel combination, with near-optimal
/// alternatives. Requires options.slack >= 0. Tiles are multiples of the base box that form chains
/// of divisors, with at most one uneven split per dimension. A level that does not hold the base
/// box reuses nothing. The larger block of an uneven split must fit. The volumes of the split are
/// means over all its blocks. The list ExactResult::best is empty when `options.incumbent` prunes
/// everything, and may be empty when `options.most_nodes` stops the search.
ExactResult exact_search(const Computation& computation, const KernelCombo& kernels,
                         const OrderClasses& classes, const Machine& machine,
                         const ExactOptions& options);

/// Returns the schedule of `per_level`: the loops of each level in the order of its class, then the
/// loops of T^1 around the register tile, with reductions innermost. A tile that does not divide
/// the tile around it becomes L(d,...) in the fewest and most equal blocks, and the next loop of
/// that dimension becomes R(d). Two sizes of register tiles become L(d,...) and U(d). The caller
/// adds layouts and marks.
Schedule to_schedule(const Computation& computation, const KernelCombo& kernels,
                     const OrderClasses& classes, const PerLevelSchedule& per_level, int lanes);

}  // namespace tileplan
