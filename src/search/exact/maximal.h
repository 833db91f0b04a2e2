// SPDX-License-Identifier: Apache-2.0
// This file lists the tiles of one cache level that cannot grow, for the exact search.
#pragma once

#include <vector>

#include "capacity.h"
#include "objective.h"
#include "tile_cost_table.h"

namespace tileplan {

/// Describes what one cache level holds and how fast it is filled.
struct LevelSpec {
  double capacity = 0;             ///< elements
  double seconds_per_element = 0;  ///< The link that fills this level takes this time.
  double write_cost = 1;  ///< Writing an element back takes this multiple of the time to read one.
  CapacityRule rule = CapacityRule::lru2;
  bool free = false;         ///< The level costs nothing, as if it held everything.
  bool innermost = false;    ///< Its tile decides how long the register tile accumulates.
  bool accumulates = false;  ///< Reductions outside this level may continue the accumulation.
};

/// Holds the cost of a tile under one order class.
struct ClassCost {
  int order_class = 0;
  double power = 0;         ///< The power includes the level's time in the whole execution.
  double accumulation = 1;  ///< Reductions inside other active loops have these trips.
};

/// Holds a tile with the classes under which it is a candidate, cheapest first.
struct TileChoice {
  TileIndex tile{};
  std::vector<ClassCost> classes;
  double least = 0;  ///< This is the least power of a class, at the innermost level with compute.
};

/// Selects candidates inside `within` whose power, joined with `used`, is at most `limit`.
struct TileQuery {
  TileIndex within{};
  double used = 0;
  double limit = 0;
};

/// Returns the tiles inside `query.within` that fit, cheapest first. Under each class, a tile is a
/// candidate when no larger multiple can replace it. With `spec.accumulates`, a tile is also a
/// candidate when it is maximal among tiles whose only sizes above the base are reductions. The
/// reductions outside such a tile continue the accumulation of the register tile, which a larger
/// tile would end. When not even the base fits, only the base is returned, which is loaded again at
/// every step.
std::vector<TileChoice> maximal_tiles(const TileCostTable& table, const LevelSpec& spec,
                                      const Objective& objective, const TileQuery& query);

/// Returns the least power of level `spec` for any tiles around it. At the innermost level the
/// power includes the compute time.
double least_level_power(const TileCostTable& table, const LevelSpec& spec,
                         const Objective& objective);

}  // namespace tileplan
