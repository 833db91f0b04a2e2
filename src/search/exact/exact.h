// SPDX-License-Identifier: Apache-2.0
// Exact search over capacity-maximal tiles: the proven optimum of the band model.
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

/// Tiles and order classes of every cache level, innermost first.
struct BandSchedule {
  std::vector<Tile> tiles;   ///< T^1 .. T^L; of uneven splits their largest blocks
  std::vector<int> classes;  ///< index into OrderClasses::classes, one per level
  double seconds = 0;        ///< overlapped band-model time, compute included

  bool operator==(const BandSchedule&) const = default;
};

struct SearchResult {
  std::vector<BandSchedule>
      best;                ///< best first, all within (1 + slack) of the optimum that were met
  std::int64_t nodes = 0;  ///< tiles visited
  /// False: stopped by SearchOptions::most_nodes, or some sizes were left out (TileAxis::thinned);
  /// the optimum is not proven.
  bool complete = true;
  double bound = 0;   ///< nothing in the space of this combination is faster (seconds)
  double points = 0;  ///< tiles of its lattice, uneven splits among them
};

struct SearchOptions {
  Capacity capacity = Capacity::lru2;  ///< what must fit
  /// Seconds of the best schedule known so far: what is above (1 + slack) times this is pruned. 0:
  /// none.
  double incumbent = 0;
  /// Near-optimal schedules are kept up to (1 + slack) * optimum. More costs nodes.
  double slack = 0.1;
  /// Most schedules returned. At least 1.
  int keep = 12;
  /// Tiles visited at most; then the best so far is returned and `bound` says how far it may be
  /// from the optimum. Layers of the papers' tables need up to 300 per combination; each takes
  /// about 10 us.
  std::int64_t most_nodes = 4000;
  /// rho of eq. (T); infinity is the pure maximum (roofline). 0: the machine's.
  double exponent = 0;
  /// Without it the objective is data movement alone.
  bool with_compute = true;
  /// A cache that holds the whole problem costs nothing (hot measurement protocol).
  bool hot = true;
  /// Uneven splits make the lattice of a coarse dim (tile_axis.h) some ten times as long.
  Splits splits = Splits::equal;
};

/// True when uneven splits add to the tiles of `kernels`: an output dim is coarse above the base
/// box. The dim of a lambda of microkernels has no other lambda.
bool has_uneven_splits(const Computation& computation, const KernelCombo& kernels, int lanes);

/// The optimum of the band model (models/README.md, "Built on them") for one kernel combination on
/// `machine`, with near-optimal alternatives. A level costs its reads over the bandwidth that fills
/// it and its write-backs over the write bandwidth (if none is known, the former), and holds
/// usable_elements, under LRU2 with the first loop of its class doubled along which the tile is not
/// the whole extent; when not even the base box fits, nothing is reused there. Tiles are multiples
/// of the base that form divisor chains; of uneven splits the largest block must fit and the mean
/// one counts. Compute: models/cost.h, with the reduction loops directly around the register tile
/// as steps. Empty when everything is pruned by `options.incumbent`.
SearchResult exact_search(const Computation& computation, const KernelCombo& kernels,
                          const OrderClasses& classes, const Machine& machine,
                          const SearchOptions& options);

/// The schedule text of a band schedule: bands outermost first, each in its class's order; then the
/// loops of T^1 over the register tile, channels and pixels outside reductions; trips of 1 left
/// out, the lambda of microkernels as the innermost loop of its dim. A tile that does not divide
/// the one around it is written L(d,...), in as many blocks and as equal as the tiles inside allow,
/// with R(d) for the next loop of that dim. Layouts and marks are left to the caller.
Schedule to_schedule(const Computation& computation, const KernelCombo& kernels,
                     const OrderClasses& classes, const BandSchedule& band, int lanes);

}  // namespace tileplan
