// SPDX-License-Identifier: Apache-2.0
// This file searches capacity-maximal tiles exactly and proves the optimum of the band model.
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
  std::vector<Tile> tiles = {};   ///< T^1 .. T^L, with the largest blocks of uneven splits
  std::vector<int> classes = {};  ///< index into OrderClasses::classes, one per level
  double seconds = 0;             ///< overlapped band-model time, compute included

  bool operator==(const BandSchedule&) const = default;
};

struct ExactResult {
  /// Holds the schedules that were met within (1 + slack) of the optimum, fastest first.
  std::vector<BandSchedule> best = {};
  std::int64_t nodes = 0;  ///< tiles visited
  /// It is false when the search was stopped by most_nodes or when sizes were left out
  /// (TileAxis::thinned). The optimum is then not proven.
  bool complete = true;
  double bound = 0;   ///< nothing in the space of this combination is faster (seconds)
  double points = 0;  ///< tiles of its space, uneven splits among them
};

struct ExactOptions {
  Capacity capacity = Capacity::lru2;  ///< what must fit
  /// Seconds of the best schedule known so far, or 0. Schedules above (1 + slack) times this are
  /// pruned.
  double incumbent = 0;
  /// Schedules are kept up to (1 + slack) * optimum. A larger slack costs nodes.
  double slack = 0.1;
  /// Schedules returned at most, at least 1.
  int keep = 12;
  /// Tiles visited at most, each some 10 us. When they are spent, the best so far is returned and
  /// `bound` says how far it may be from the optimum. Layers of the papers' tables need up to 300.
  std::int64_t most_nodes = 4000;
  /// rho of eq. (T). Infinity is the pure maximum (roofline), 0 the machine's value.
  double exponent = 0;
  /// Without compute the objective is data movement alone.
  bool with_compute = true;
  /// With hot caches, a cache that holds the whole problem costs nothing.
  bool hot = true;
  /// Uneven splits give a coarse dim (tile_axis.h) some ten times as many tiles.
  Splits splits = Splits::equal;
};

/// Returns true when an output dim without a lambda is coarse above the base box, so that uneven
/// splits add tiles to `kernels`.
bool has_uneven_splits(const Computation& computation, const KernelCombo& kernels, int lanes);

/// Returns the optimum of the band model (models/README.md, "Built on them") for one kernel
/// combination, with near-optimal alternatives. A level costs its reads over the bandwidth that
/// fills it and its write-backs over the write bandwidth, or over the former if that is unknown. It
/// holds usable_elements. Under LRU2 the first loop of its class counts twice along which the tile
/// is not the whole extent. When not even the base box fits, nothing is reused there. Tiles are
/// multiples of the base that form divisor chains; the largest block of an uneven split must fit,
/// and the mean block counts. Compute follows models/cost.h, where the reduction loops directly
/// around the register tile are steps. The result is empty when `options.incumbent` prunes
/// everything.
ExactResult exact_search(const Computation& computation, const KernelCombo& kernels,
                         const OrderClasses& classes, const Machine& machine,
                         const ExactOptions& options);

/// Returns the schedule of a band schedule: the bands outermost first, each in the order of its
/// class, then the loops of T^1 over the register tile, with channels and pixels outside
/// reductions. Trips of 1 are left out, and a lambda of microkernels is the innermost loop of its
/// dim. A tile that does not divide the one around it becomes L(d,...), in blocks as few and as
/// equal as the tiles inside allow, and the next loop of that dim becomes R(d). The caller adds
/// layouts and marks.
Schedule to_schedule(const Computation& computation, const KernelCombo& kernels,
                     const OrderClasses& classes, const BandSchedule& band, int lanes);

}  // namespace tileplan
