// SPDX-License-Identifier: Apache-2.0
// The tiles of one cache level that cannot grow: candidates of the exact search.
#pragma once

#include <cstdint>
#include <vector>

#include "capacity.h"
#include "objective.h"
#include "tile_cost_table.h"

namespace tileplan {

/// What one cache level holds and how fast it is filled.
struct LevelSpec {
  double capacity = 0;             ///< elements
  double seconds_per_element = 0;  ///< of the link that fills it
  double write_cost = 1;           ///< seconds of writing an element back over those of reading one
  CapacityRule rule = CapacityRule::lru2;
  bool free = false;       ///< costs nothing, as if it held everything
  bool innermost = false;  ///< its tile decides how long the register tile accumulates
  bool runs = false;       ///< reductions outside it may continue the accumulation
};

/// An order class with a tile.
struct ClassCost {
  int order_class = 0;
  double power = 0;  ///< of this level's time, whole execution
  double run = 1;    ///< trips of the reduction loops before the first other active loop
};

/// A tile with the classes under which it is a candidate, cheapest first.
struct TileChoice {
  Point tile{};
  std::vector<ClassCost> classes;
  double least =
      0;  ///< power of the cheapest class; at the innermost level of its compute time too
};

/// Where candidates are wanted: inside `within`, beside terms of power `used`, up to `limit`
/// together.
struct TileQuery {
  Point within{};
  double used = 0;
  double limit = 0;
};

/// Tiles inside `query.within` that fit, cheapest first: per class those that no larger multiple
/// can replace. With `runs`, also those that are maximal among tiles whose only sizes above the
/// base are reductions: there the reductions outside continue the register tile's accumulation,
/// which a larger tile would end. When not even the base fits: the base alone, everything re-loaded
/// at every step.
std::vector<TileChoice> maximal_tiles(const Lattice& lattice, const LevelSpec& spec,
                                      const Objective& objective, const TileQuery& query);

/// The power below which level `spec` (at the innermost level: with compute) cannot come, whatever
/// the tiles around it.
double cheapest(const Lattice& lattice, const LevelSpec& spec, const Objective& objective);

}  // namespace tileplan
