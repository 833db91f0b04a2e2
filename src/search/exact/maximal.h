// SPDX-License-Identifier: Apache-2.0
// This file lists the tiles of one cache level that cannot grow, for the exact search.
#pragma once

#include <vector>

#include "capacity.h"
#include "objective.h"
#include "tile_cost_table.h"

namespace tileplan {

struct LevelSpec {
  double capacity = 0;          ///< Counts the units (Computation::unit_bytes) that fit.
  double seconds_per_unit = 0;  ///< Gives the time in which the link reads one unit.
  /// Holds write_cost() of models/link.h: the additional time of writing a unit back, divided by
  /// the time of reading it. It is above -1.
  double write_cost = 1;
  CapacityRule rule = CapacityRule::lru2;
  bool free = false;  ///< Tells whether the level costs nothing, as if it held everything.
  /// Tells whether the level is the innermost one, whose tile limits the steps of a call.
  bool innermost = false;
  bool accumulates = false;  ///< Tells whether outer reductions may continue the sums of a call.
};

/// Holds the cost of a tile under one order class (orders.h).
struct ClassCost {
  int order_class = 0;
  double power = 0;  ///< Gives the level's term in the sum of eq. (T), for the whole execution.
  /// Is the product of the trips of the reduction loops that are inside all other active loops.
  double accumulation = 1;
};

/// Holds a tile with order classes (orders.h) under which it is a candidate, cheapest first. Of
/// several classes with equal cost, only one is listed.
struct TileChoice {
  TileIndex tile{};
  std::vector<ClassCost> classes;
  /// Holds the least term of any class. At the innermost level it includes the compute time.
  double least = 0;
};

/// Selects the candidates inside `within` whose term in eq. (T), added to the sum `used` of other
/// terms, is at most `limit`.
struct TileQuery {
  TileIndex within{};
  double used = 0;
  double limit = 0;
};

/// Returns the candidates that `query` selects, cheapest first. A tile is a candidate under a class
/// when it fits and no larger tile that fits can replace it (TileList::next). With
/// `spec.accumulates`, tiles that exceed the base only along reductions are compared only with one
/// another, because outer reductions continue their sums. If `query.within` fits, it is the only
/// candidate. If not even the base fits, the base is the only candidate.
std::vector<TileChoice> maximal_tiles(const TileCostTable& table, const LevelSpec& spec,
                                      const Objective& objective, const TileQuery& query);

/// Returns a lower bound, over all tiles around this level, of the sum of `used` and the term of
/// level `spec` in eq. (T), or infinity when every such sum exceeds `limit`. At the innermost level
/// the term includes the compute time.
double least_power(const TileCostTable& table, const LevelSpec& spec, const Objective& objective,
                   double used, double limit);

}  // namespace tileplan
