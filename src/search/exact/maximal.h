// SPDX-License-Identifier: Apache-2.0
// This file lists the tiles of one cache level that cannot grow; the exact search chooses among
// them.
#pragma once

#include <cstdint>
#include <vector>

#include "capacity.h"
#include "objective.h"
#include "tile_cost_table.h"

namespace tileplan {

/// Describes what one cache level holds and how fast it is filled.
struct LevelSpec {
  double capacity = 0;             ///< elements
  double seconds_per_element = 0;  ///< of the link that fills it
  double write_cost = 1;           ///< seconds of writing an element back over those of reading one
  CapacityRule rule = CapacityRule::lru2;
  bool free = false;         ///< costs nothing, as if it held everything
  bool innermost = false;    ///< its tile decides how long the register tile accumulates
  bool accumulates = false;  ///< reductions outside it may continue the accumulation
};

/// Holds what a tile costs under one order class.
struct ClassCost {
  int order_class = 0;
  double power = 0;         ///< of this level's time in the whole execution
  double accumulation = 1;  ///< trips of the reduction loops before the first other active loop
};

/// Holds a tile with the classes under which it is a candidate, cheapest first.
struct TileChoice {
  TileIndex tile{};
  std::vector<ClassCost> classes;
  double least = 0;  ///< power of the cheapest class; the innermost level adds its compute time
};

/// Asks for candidates inside `within`, beside terms of power `used`, up to `limit` together.
struct TileQuery {
  TileIndex within{};
  double used = 0;
  double limit = 0;
};

/// Returns the tiles inside `query.within` that fit, cheapest first: for each class those that no
/// larger multiple can replace. With `accumulates`, tiles also count that are maximal among those
/// whose only sizes above the base are reductions: the reductions outside then continue the
/// accumulation of the register tile, which a larger tile would end. When not even the base fits,
/// the base alone is returned, re-loaded at every step.
std::vector<TileChoice> maximal_tiles(const TileCostTable& table, const LevelSpec& spec,
                                      const Objective& objective, const TileQuery& query);

/// Returns the least power of level `spec`, whatever the tiles around it. The innermost level
/// includes the compute time.
double least_level_power(const TileCostTable& table, const LevelSpec& spec,
                         const Objective& objective);

}  // namespace tileplan
