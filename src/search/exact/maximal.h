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
  double capacity = 0;             ///< It is in elements.
  double seconds_per_element = 0;  ///< The link that fills it takes this time.
  double write_cost = 1;  ///< It is the time to write an element back divided by that to read one.
  CapacityRule rule = CapacityRule::lru2;
  bool free = false;         ///< The level costs nothing, as if it held everything.
  bool innermost = false;    ///< Its tile decides how long the register tile accumulates.
  bool accumulates = false;  ///< Reductions outside it may continue the accumulation.
};

/// Holds what a tile costs under one order class.
struct ClassCost {
  int order_class = 0;
  double power = 0;         ///< It is the power of this level's time in the whole execution.
  double accumulation = 1;  ///< It is the trips of reductions before other active loops.
};

/// Holds a tile with the classes under which it is a candidate, cheapest first.
struct TileChoice {
  TileIndex tile{};
  std::vector<ClassCost> classes;
  double least = 0;  ///< It is the cheapest power, at the innermost level with compute.
};

/// Asks for candidates inside `within` whose power, joined with `used`, is at most `limit`.
struct TileQuery {
  TileIndex within{};
  double used = 0;
  double limit = 0;
};

/// Returns the tiles inside `query.within` that fit, cheapest first. For each class they are the
/// tiles that no larger multiple can replace. With `accumulates` there are also those that are
/// maximal among tiles whose only sizes above the base are reductions. The reductions outside then
/// continue the accumulation of the register tile, which a larger tile would end. When not even the
/// base fits, the base alone is returned, which is loaded again at every step.
std::vector<TileChoice> maximal_tiles(const TileCostTable& table, const LevelSpec& spec,
                                      const Objective& objective, const TileQuery& query);

/// Returns the least power of level `spec`, whatever the tiles around it. The innermost level
/// includes the compute time.
double least_level_power(const TileCostTable& table, const LevelSpec& spec,
                         const Objective& objective);

}  // namespace tileplan
