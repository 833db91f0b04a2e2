// SPDX-License-Identifier: Apache-2.0
// Exact search over capacity-maximal tiles: the proven optimum of the band model. model.md 6.3.
#pragma once

#include <cstdint>
#include <vector>

#include "capacity.h"
#include "computation.h"
#include "kernels.h"
#include "orders.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Tiles and order classes of every cache level, innermost first.
struct BandSchedule {
  std::vector<Tile> tiles;     ///< T^1 .. T^L
  std::vector<int> classes;    ///< index into OrderClasses::classes, one per level
  double seconds = 0;          ///< overlapped band-model time, compute included

  bool operator==(const BandSchedule&) const = default;
};

struct SearchResult {
  std::vector<BandSchedule> best;  ///< best first, all within (1 + slack) of the optimum that were met
  std::int64_t nodes = 0;
};

struct SearchOptions {
  CapacityRule rule = CapacityRule::lru2;
  double incumbent = 0;  ///< prune above this many seconds; 0: none
  double slack = 0.1;    ///< near-optimal schedules are kept up to (1 + slack) * optimum
};

/// The optimum of the band model for one kernel combination on `machine`, with near-optimal alternatives.
SearchResult exact_search(const Computation& computation, const KernelCombo& kernels,
                          const OrderClasses& classes, const Machine& machine,
                          const SearchOptions& options);

/// The schedule text of a band schedule: bands outermost first, each in its class's order, reductions innermost above
/// the register tile, trips of 1 left out, the lambda placed at its dim's innermost loop.
Schedule to_schedule(const Computation& computation, const KernelCombo& kernels,
                     const OrderClasses& classes, const BandSchedule& band, int lanes);

}  // namespace tileplan
